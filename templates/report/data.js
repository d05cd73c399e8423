/** Blocks of conversations that stay unpacked. */
const KEPT = 8;

/** Base64 to JSON, through raw DEFLATE. */
export async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(await new Response(stream).text());
}

const parsed = new Promise((resolve) => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', resolve, { once: true });
  else resolve();
});

const blocks = new Map();

/** The conversations of one block. The page has many blocks, so only the last ones stay in memory. */
export async function block(number) {
  await parsed; // the blocks come after this script
  const known = blocks.get(number) ?? unpack(document.getElementById(`block-${number}`).textContent);
  blocks.delete(number);
  blocks.set(number, known);
  if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
  return known;
}

/**
 * The rollouts from the columns of the index, worst first.
 * @returns {{ files: string[], charts: object, rollouts: object[], tasks: number }}
 */
export async function readIndex() {
  const { files, kinds, tools, columns, ...rest } = await unpack(document.getElementById('index').textContent);
  const rollouts = (columns?.line ?? []).map((line, at) => ({
    file: columns.file[at],
    line,
    task: columns.task[at],
    label: columns.label[at],
    reward: columns.reward[at],
    mask: columns.mask[at] < 0 ? undefined : kinds[columns.mask[at]],
    calls: columns.calls[at].map((tool) => tools[tool]),
    turns: columns.turns[at],
    generated: columns.generated[at],
    prompt: columns.prompt[at],
    sequence: columns.sequence[at],
    block: columns.block[at],
    at: columns.at[at],
    rank: at,
  }));
  markTasks(rollouts);
  return { ...rest, files, rollouts };
}

/** Adds what a rollout's repeats tell: whether their rewards differ, and the change from the first file to the second. */
function markTasks(rollouts) {
  const groups = new Map();
  for (const rollout of rollouts) {
    const group = groups.get(rollout.task);
    if (group) group.push(rollout);
    else groups.set(rollout.task, [rollout]);
  }
  for (const group of groups.values()) {
    const scored = group.filter(({ mask, reward }) => mask === undefined && reward !== null);
    const mean = (file) => {
      const rewards = scored.filter((each) => each.file === file).map(({ reward }) => reward);
      return rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    };
    const change = mean(1) - mean(0);
    for (const rollout of group) {
      const repeats = group.filter(({ file }) => file === rollout.file);
      const rewards = new Set(scored.filter(({ file }) => file === rollout.file).map(({ reward }) => reward));
      rollout.siblings = group;
      rollout.hasSignal = repeats.length < 2 || rewards.size > 1;
      rollout.change = Number.isNaN(change) ? 0 : change;
    }
  }
}
