import { type Estimate, estimate, type Spread, spread } from './estimates.js';
import { isScored, type Rollout } from './rollout.js';

/** A name and how often it occurs. */
export interface Count {
  name: string;
  count: number;
}

export interface MaskCount extends Count {
  /** The reason of the first rollout with this kind. */
  reason: string;
}

/** The figures of one run. Shares are of the rollouts that are not masked. */
export interface Summary {
  rollouts: number;
  tasks: number;
  agents: string[];
  /** Rollouts with a reward that counts: not masked, and with a number. */
  scored: number;
  /** Not masked, but without a number as reward. */
  withoutReward: number;
  reward?: Estimate;
  /** Scored rollouts with reward 0. */
  zero: number;
  masked: number;
  /** Most frequent first. */
  masks: MaskCount[];
  /** Rollouts that are not masked and called no tool. */
  withoutCall: number;
  calls?: Spread;
  turns?: Spread;
  tools: Count[];
  generated?: Spread;
  prompt?: Spread;
  sequence?: Spread;
  /** Tasks with several rollouts. */
  repeated: number;
  /** Repeated tasks whose rollouts all have the same reward, or are masked: GRPO learns nothing from them. */
  withoutSignal: number;
}

/** Distinct names that are counted by themselves. Models invent names of tools. */
const NAMES = 200;

export function summarize(rollouts: readonly Rollout[]): Summary {
  const open = rollouts.filter(({ mask }) => mask === undefined);
  const scored = open.filter(isScored);
  const groups = [...byTask(rollouts).values()];
  const repeated = groups.filter(({ length }) => length > 1);
  return {
    rollouts: rollouts.length,
    tasks: groups.length,
    agents: counted(rollouts.flatMap(({ agent }) => agent ?? [])).map(({ name }) => name),
    scored: scored.length,
    withoutReward: open.length - scored.length,
    ...given('reward', estimate(rewardsByTask(rollouts))),
    zero: scored.filter(({ reward }) => reward === 0).length,
    masked: rollouts.length - open.length,
    masks: masksOf(rollouts),
    withoutCall: open.filter(({ calls }) => calls.length === 0).length,
    ...given('calls', spread(rollouts.map(({ calls }) => calls.length))),
    ...given('turns', spread(rollouts.map(({ turns }) => turns))),
    tools: counted(rollouts.flatMap(({ calls }) => calls)),
    ...given('generated', spread(numbers(rollouts, 'generated'))),
    ...given('prompt', spread(numbers(rollouts, 'prompt'))),
    ...given('sequence', spread(numbers(rollouts, 'sequence'))),
    repeated: repeated.length,
    withoutSignal: repeated.filter((group) => new Set(group.filter(isScored).map(({ reward }) => reward)).size < 2)
      .length,
  };
}

/** The known numbers of one kind. */
export function numbers(rollouts: readonly Rollout[], key: 'generated' | 'prompt' | 'sequence'): number[] {
  return rollouts.flatMap((rollout) => rollout[key] ?? []);
}

function rewardsByTask(rollouts: readonly Rollout[]): number[][] {
  return [...byTask(rollouts.filter(isScored)).values()].map((group) => group.map(({ reward }) => reward));
}

/** The change of the mean reward from one run to another, over the tasks that both have scored. */
export interface Change {
  tasks: number;
  reward?: Estimate;
}

export function changeBetween(before: readonly Rollout[], after: readonly Rollout[]): Change {
  const [first, second] = [meansByTask(before), meansByTask(after)];
  const changes = [...first].flatMap(([task, mean]) => {
    const other = second.get(task);
    return other === undefined ? [] : [[other - mean]];
  });
  return { tasks: changes.length, ...given('reward', estimate(changes)) };
}

function meansByTask(rollouts: readonly Rollout[]): Map<string, number> {
  const mean = (group: readonly { reward: number }[]) =>
    group.reduce((sum, { reward }) => sum + reward, 0) / group.length;
  return new Map([...byTask(rollouts.filter(isScored))].map(([task, group]) => [task, mean(group)]));
}

function byTask<Each extends Rollout>(rollouts: readonly Each[]): Map<string, Each[]> {
  const groups = new Map<string, Each[]>();
  for (const rollout of rollouts) {
    const group = groups.get(rollout.task);
    if (group) group.push(rollout);
    else groups.set(rollout.task, [rollout]);
  }
  return groups;
}

function masksOf(rollouts: readonly Rollout[]): MaskCount[] {
  const masks = rollouts.flatMap(({ mask }) => mask ?? []);
  return counted(masks.map(({ kind }) => kind)).map((count) => {
    return { ...count, reason: masks.find(({ kind }) => kind === count.name)?.reason ?? '' };
  });
}

/** Most frequent first, then by name. Beyond `NAMES`, rare names are counted together. */
function counted(names: readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const all = [...counts].map(([name, count]) => ({ name, count }));
  all.sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
  const rest = all.slice(NAMES);
  if (rest.length === 0) return all;
  const count = rest.reduce((sum, each) => sum + each.count, 0);
  return [...all.slice(0, NAMES), { name: `${rest.length} other names`, count }];
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
