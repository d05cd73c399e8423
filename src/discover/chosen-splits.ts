import { UserError } from '../errors.js';

/** Names in one message. */
const TOLD = 20;

/**
 * Those of the served splits that are asked for, in the order in which they are served; all where none is named.
 * @throws UserError where one that is named is not served
 */
export function chosenSplits(served: readonly string[], wanted: readonly string[]): string[] {
  const known = new Set(served);
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new UserError(`there is no split ${listed(unknown.map((name) => `'${name}'`))}`, {
      fix: `its splits are: ${listed(served) || 'none'}`,
    });
  }
  const asked = new Set(wanted);
  return served.filter((name) => asked.size === 0 || asked.has(name));
}

function listed(names: readonly string[]): string {
  const more = names.length > TOLD ? [`and ${names.length - TOLD} more`] : [];
  return [...names.slice(0, TOLD), ...more].join(', ');
}
