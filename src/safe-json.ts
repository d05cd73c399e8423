import { escapeUnits, hiddenCharacters } from './hidden-characters.js';

/** Text without any of these has nothing to escape, which is found out in a third of the time. */
const ASCII = /^[\0-~]*$/;
const UNSAFE = hiddenCharacters('', '::', '##\\[');

/**
 * JSON text in which hidden characters, `::` and `##[` are escaped, so that whoever prints it shows what it holds, and GitHub's
 * runner finds no command in it. They occur in strings only, where an escape means the same: parsing gives the same value.
 * @param json valid JSON text; its spelling is otherwise kept
 */
export function escapeJson(json: string): string {
  if (ASCII.test(json) && !json.includes('::') && !json.includes('##[')) return json;
  return json.replace(UNSAFE, (found) => {
    if (found === '::') return ':\\u003a';
    return found === '##[' ? '##\\u005b' : escapeUnits(found);
  });
}

/**
 * A value as such JSON text. Every JSON text that gymgen writes comes from here.
 * @param indent spaces of a level; one line where left out
 */
export function safeJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent));
}
