/** Keys of NeMo Gym's `TokenIDLogProbMixin` (nemo_gym/openai_utils.py). A quote inside a string has a backslash before it. */
const KEY = /(?<!\\)"(?:prompt_token_ids|generation_token_ids|generation_log_probs)"\s*:\s*\[/g;

const COMMA = 0x2c;
const LETTER_E = 0x65;

/**
 * Replaces each array of token ids or log probabilities by its length. The arrays are four fifths of a line, and a long
 * rollout has more numbers than `LIMITS.jsonValues`.
 * @param json a line of rollouts.jsonl; the rest of it keeps its spelling
 */
export function countTokenIds(json: string): string {
  const parts: string[] = [];
  let start = 0;
  for (const match of json.matchAll(KEY)) {
    const open = match.index + match[0].length;
    const close = json.indexOf(']', open);
    if (open <= start || close === -1) continue;
    const length = lengthOfNumbers(json, open, close);
    if (length === undefined) continue;
    parts.push(json.slice(start, open - 1), String(length));
    start = close + 1;
  }
  return parts.length === 0 ? json : parts.join('') + json.slice(start);
}

/** The length of an array without its brackets, or undefined if it holds anything else than numbers and null. */
function lengthOfNumbers(json: string, start: number, end: number): number | undefined {
  let commas = 0;
  let isBlank = true;
  for (let at = start; at < end; at += 1) {
    const code = json.charCodeAt(at);
    if (code === COMMA) commas += 1;
    else if (code > 0x20) {
      const isNumber = (code >= 0x2b && code <= 0x39) || (code | 0x20) === LETTER_E;
      if (!isNumber && !'nul'.includes(json.charAt(at))) return undefined;
      isBlank = false;
    }
  }
  return isBlank ? 0 : commas + 1;
}
