import type { Environment } from './environments.js';

/** Lengths are multiples of this number of tokens. */
const STEP = 1024;

/** `policy.max_total_sequence_length`, in tokens. */
export interface SequenceLength {
  tokens: number;
  /** How it was calculated; missing if it was chosen, or is that of the base. */
  from?: { longest: number; maxNewTokens: number; turns: number };
  /** Whether it has to be written: the base has another one. */
  isWritten: boolean;
}

export interface LengthOptions {
  chosen: number | undefined;
  /** The length in the user's base. */
  base: number | undefined;
  /** Tokens of one reply. */
  maxNewTokens: number;
  /** Model calls in a rollout, or at least the number of the task's turns. */
  turns: number;
}

/**
 * The longest sequence: the chosen one; otherwise that of the base, if each row and a reply fit; otherwise one that
 * fits the longest row and all replies. A row that is longer ends the whole run (`no generation data`,
 * nemo_rl/environments/nemo_gym.py:973).
 */
export function sequenceLength(
  environments: readonly Environment[],
  { chosen, base, maxNewTokens, turns }: LengthOptions,
): SequenceLength {
  if (chosen !== undefined) return { tokens: chosen, isWritten: true };
  const longest = longestRow(environments);
  if (base !== undefined && longest + maxNewTokens <= base) return { tokens: base, isWritten: false };
  const tokens = Math.ceil((longest + maxNewTokens * turns) / STEP) * STEP;
  return { tokens, from: { longest, maxNewTokens, turns }, isWritten: true };
}

/** Tokens of the longest row, at 4 characters per token. */
function longestRow(environments: readonly Environment[]): number {
  const rows = environments.flatMap(({ train, validation }) => [...train.longest, ...(validation?.longest ?? [])]);
  return Math.max(0, ...rows.map(({ tokens }) => tokens));
}
