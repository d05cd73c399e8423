/** A call of a tool. */
export interface Call {
  call: string;
  arguments: Record<string, unknown>;
}

/** What a model does next: calls a tool, or says something, which ends its turn. */
export type Move = Call | { say: string };

/** What a model sees before its next move. */
export interface Conversation {
  /** The task's prompt: the last message of the user. */
  prompt: string;
  system: string | undefined;
  /** Names of the tools that it may call. */
  tools: string[];
  /** The calls so far, in order. */
  calls: Call[];
  /** The answers to the calls. */
  answers: string[];
  /** The label that the policy gave its earlier calls of this rollout. */
  label?: string | undefined;
}

/** Decides the next move. Its `label` returns with later requests of the same rollout: a model server keeps no state. */
export type Policy = (conversation: Conversation) => Labelled | Promise<Labelled>;
export type Labelled = Move & { label?: string };

/** Ends each rollout at once. Its mean reward is the floor that a model has to beat. */
export const idle: Policy = () => ({ say: '' });

/** The moves of a policy in one rollout. */
export interface Script {
  /** Prompts that this script is for. Scripts without a pattern take turns. */
  prompt?: RegExp;
  /** Without further steps, the rollout ends. */
  steps: readonly Move[];
}

/**
 * Plays scripts. A prompt gets the first script whose pattern matches. Prompts that match no pattern get the scripts
 * without a pattern in turn, in the order in which their rollouts begin.
 */
export function scripted(scripts: readonly Script[]): Policy {
  const inTurn = scripts.filter(({ prompt }) => prompt === undefined);
  let begun = 0;
  const choose = (prompt: string): number => {
    const matching = scripts.findIndex((script) => script.prompt?.test(prompt));
    if (matching !== -1 || inTurn.length === 0) return matching;
    const script = inTurn[begun % inTurn.length] as Script;
    begun += 1;
    return scripts.indexOf(script);
  };
  return ({ prompt, calls, label }) => {
    const at = label === undefined ? choose(prompt) : Number(label);
    const move = scripts[at]?.steps[calls.length] ?? { say: '' };
    return { ...move, label: String(at) };
  };
}
