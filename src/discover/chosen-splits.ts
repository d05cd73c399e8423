import { UserError } from '../errors.js';

/**
 * Those of the served splits that are asked for, in the order in which they are served; all where none is named.
 * @throws UserError where one that is named is not served
 */
export function chosenSplits(served: readonly string[], wanted: readonly string[]): string[] {
  const unknown = wanted.filter((name) => !served.includes(name));
  if (unknown.length > 0) {
    throw new UserError(`there is no split ${unknown.map((name) => `'${name}'`).join(', ')}`, {
      fix: `its splits are: ${served.join(', ') || 'none'}`,
    });
  }
  return served.filter((name) => wanted.length === 0 || wanted.includes(name));
}
