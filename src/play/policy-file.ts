import { existsSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readRegular } from '../files.js';
import { yamlDocument, yamlValues } from '../read-yaml.js';
import { idle, type Policy, type Script, scripted } from './policy.js';

const Pattern = z.string().transform((text, context) => {
  try {
    // eslint-disable-next-line no-restricted-syntax -- from a file that the command line names
    return new RegExp(text, 'su');
  } catch {
    context.addIssue({ code: 'custom', message: 'not a regular expression' });
    return z.NEVER;
  }
});

const Step = z.union(
  [
    z.strictObject({ call: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) }),
    z.strictObject({ say: z.string() }),
  ],
  'must be {call: TOOL, arguments: {…}} or {say: TEXT}',
);

const Scripts = z.array(z.strictObject({ prompt: Pattern.optional(), steps: z.array(Step) })).min(1);

/**
 * The policy that `--policy` names: `idle`, or a file of scripts.
 * @throws UserError if the file cannot be read, or is not a list of scripts
 */
export async function policyOf(name: string): Promise<Policy> {
  if (name === 'idle') return idle;
  if (!existsSync(name)) {
    throw new UserError('policy is neither idle nor an existing file', {
      where: name,
      fix: 'pass --policy idle, or --policy with the path of a file of scripts',
    });
  }
  return scripted(scriptsIn((await readRegular(name, 'lineBytes')).toString(), name));
}

/** @param where path of the file, for messages */
export function scriptsIn(text: string, where: string): Script[] {
  const parsed = Scripts.safeParse(valueIn(text, where));
  if (!parsed.success) throw invalid(parsed.error.issues.map(problemOf), where);
  return parsed.data.map(({ prompt, steps }) => ({ steps, ...(prompt === undefined ? {} : { prompt }) }));
}

/** JSON of any size, or YAML within the limits of its slow parser. */
function valueIn(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const document = yamlDocument(text, where);
    const [error] = document.errors;
    if (error) throw invalid([String(error.message).split('\n')[0] as string], where);
    return yamlValues(document, where);
  }
}

function problemOf({ path, message }: { path: PropertyKey[]; message: string }): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** Problems that an error lists. */
const LISTED = 5;

function invalid(details: string[], where: string): UserError {
  return new UserError('invalid script file', {
    where,
    details: details.slice(0, LISTED),
    fix: 'write a list such as: [{"steps": [{"call": "TOOL", "arguments": {}}, {"say": "done"}]}]',
  });
}
