import { UserError } from '../errors.js';

/** How vLLM has to serve a model, by its family. */
export interface ModelFamily {
  /** Name of vLLM's tool parser. */
  toolParser: string;
  /** Arguments of the chat template. */
  chatTemplate?: Readonly<Record<string, boolean>>;
}

/**
 * Qwen3 thinks by default, and its chat template drops earlier thoughts. The next prompt then no longer begins with the tokens
 * before, which ends the run (nemo_rl/environments/nemo_gym.py:840).
 */
const FAMILIES: readonly [name: RegExp, family: ModelFamily][] = [
  [/^qwen2\.5(?![.\d])(?!.*coder)/i, { toolParser: 'hermes' }],
  [/^qwen3(?![.\d])(?!.*coder)/i, { toolParser: 'hermes', chatTemplate: { enable_thinking: false } }],
];

/** The family of a model, such as `Qwen/Qwen3-4B` or `models/qwen3-4b-sft`; undefined for any other. */
export function modelFamily(model: string): ModelFamily | undefined {
  const name = model.split('/').filter(Boolean).at(-1) ?? '';
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * Name of vLLM's tool parser for a model.
 * @param chosen by the user
 * @throws UserError if none is chosen, and the family of the model is not known
 */
export function toolParserOf(model: string, chosen: string | undefined): string {
  const parser = chosen ?? modelFamily(model)?.toolParser;
  if (parser !== undefined) return parser;
  throw new UserError(`unknown tool parser for model ${JSON.stringify(model)}`, {
    where: '--tool-parser',
    fix: "add --tool-parser NAME, as in vLLM's --tool-call-parser: without one the model calls no tool",
  });
}
