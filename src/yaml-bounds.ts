import { Lexer } from 'yaml';
import { UserError } from './errors.js';
import { LIMITS } from './limits.js';

/** Tokens that a key has around it in a file that people write: blanks, a colon, a value, a line end. */
const TOKENS_OF_KEY = 10;

/**
 * Refuses a YAML text that would take the parser too much time or stack. The lexer needs neither.
 * @param where the file, for the message
 * @throws UserError that names the bound
 */
export function assertBoundedYaml(text: string, where: string): void {
  if (Buffer.byteLength(text) > LIMITS.configBytes) throw tooMuch(`${LIMITS.configBytes} bytes`, where);
  let tokens = 0;
  let keys = 0;
  let flow = 0; // open brackets
  let block = 0; // columns and indicators of this line, each of which may be a level
  let isLineStart = true;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (isLineStart) block = token.trim() === '' ? token.length : 0;
    isLineStart = token.endsWith('\n');
    if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow -= 1;
    else if (token === '-' || token === '?') block += 1;
    // An anchor or a tag costs the parser as much as a key.
    if (':,?-'.includes(token) || '&!'.includes(token.charAt(0))) keys += 1;
    if (keys > LIMITS.configKeys) throw tooMuch(`${LIMITS.configKeys} keys`, where);
    if (tokens > LIMITS.configKeys * TOKENS_OF_KEY) throw tooMuch(`${LIMITS.configKeys * TOKENS_OF_KEY} tokens`, where);
    const isStructure = flow > 0 || ':?-'.includes(token);
    if (isStructure && flow + block > LIMITS.configDepth) throw tooMuch(`${LIMITS.configDepth} levels`, where);
  }
}

function tooMuch(bound: string, where: string): UserError {
  return new UserError(`YAML file has more than ${bound}`, { where, fix: 'make the file smaller' });
}
