// Types of rollouts.mjs, for the tests.

export interface RolloutOptions {
  repeat?: number;
  skill?: number;
  faults?: number;
  tokenIds?: boolean;
}

export function rollout(number: number, options?: RolloutOptions): Record<string, unknown>;
export function rolloutLines(options: RolloutOptions & { tasks: number; repeats?: number }): Generator<string>;
