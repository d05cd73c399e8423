import { UserError } from '../errors.js';

/** What uv says if no Python satisfies a requirement. */
const MISSING = /no interpreter found|no download found|does not satisfy python|does not meet the python requirement/i;

/**
 * The error for a project whose Python is not on this machine, or null if uv failed for another reason.
 * @param required in the words of `requires-python`, such as `>=3.11,>=3.14`
 * @param said what uv wrote
 */
export function missingPython(name: string, required: string, said: string): UserError | null {
  if (!MISSING.test(said)) return null;
  return new UserError(`${name} requires Python ${required}, which was not found`, {
    details: said.trim().split('\n').slice(0, 3),
    fix: `install it: uv python install '${required}'`,
  });
}
