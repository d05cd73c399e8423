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

/** Adds to each rollout whether the rewards of its task differ, and the change from the first file to the second. */
function markTasks(rollouts) {
  for (const group of groupBy(rollouts, ({ task }) => task).values()) {
    const means = [];
    for (const [file, repeats] of groupBy(group, (each) => each.file)) {
      const scored = repeats.filter(({ mask, reward }) => mask === undefined && reward !== null);
      const rewards = scored.map(({ reward }) => reward);
      means[file] = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
      const hasSignal = repeats.length < 2 || new Set(rewards).size > 1;
      for (const rollout of repeats) rollout.hasSignal = hasSignal;
    }
    const change = means[1] - means[0];
    for (const rollout of group) {
      rollout.siblings = group;
      rollout.change = Number.isNaN(change) ? 0 : change;
    }
  }
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
