import { maskCredentials } from '../credentials.js';
import type { UserError } from '../errors.js';
import type { ErrorParts } from './schemas/error.js';

/** The document has the exact values, but no credentials. */
export function errorDocument({ message, code, where, details, fix }: UserError): ErrorParts {
  return {
    what: maskCredentials(message),
    code,
    where: where && maskCredentials(where),
    details: details.map(maskCredentials),
    fix: fix && maskCredentials(fix),
  };
}
