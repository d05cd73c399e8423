import { validateHeaderName, validateHeaderValue } from 'node:http';
import { UsageError } from '../errors.js';
import type { OptionValues } from '../options/index.js';
import { isOwnHeader } from '../rules/index.js';

export interface Headers {
  /** For gymgen's own requests. They may hold secrets. */
  sent: Record<string, string>;
  /** For the config, with `$VAR` in their values. */
  written: Record<string, string>;
}

/** @throws UserError if a header is invalid, or if a variable of `--header-env` is not set */
export function headersOf({ header = [], headerEnv = [] }: OptionValues): Headers {
  for (const [name, value] of headerEnv) assertVariable(name, value);
  const written = Object.fromEntries(headerEnv);
  const sent = { ...expanded(written), ...Object.fromEntries(header) };
  for (const [name, value] of Object.entries(sent)) checkHeader(name, value);
  return { sent, written };
}

const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;

/** The config gets the value as passed, so it must not be the secret itself. */
function assertVariable(name: string, value: string): void {
  if (value.search(VARIABLE) !== -1) return;
  throw new UsageError(`--header-env ${name} has no $VAR in its value`, {
    details: ['the value is written into the config; a shell replaces $VAR in double quotes'],
    fix: `export the value as a variable, and use single quotes: --header-env '${name}=$VAR'`,
  });
}

/** Replaces `$VAR` and `${VAR}` as openenv_bridge/endpoint.py does when Gym runs the server. */
function expanded(headers: Record<string, string>): Record<string, string> {
  const fill = (value: string) =>
    value.replace(VARIABLE, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      const found = process.env[name];
      if (found) return found;
      throw new UsageError(`--header-env names $${name}, which is not set`, { fix: `export ${name}=…` });
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

/** Messages never contain the value, which may be a secret. */
function checkHeader(name: string, value: string): void {
  if (isOwnHeader(name)) {
    throw new UsageError(`the header ${name} is set by the HTTP client`, {
      fix: 'remove this header from --header and --header-env',
    });
  }
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`invalid header: ${name}`, {
      fix: "use the form 'Name: value', without spaces in the name or line breaks in the value",
    });
  }
}
