import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { escapeCharacter, hiddenCharacters } from './display-text.js';

/** How this process was started. */
export interface Start {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/**
 * A command for a message, as the user would type it: gymgenCommand`check ${source} ${gymRoot}`. Inserted values are quoted for
 * a shell.
 */
export function gymgenCommand(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return `${invocation()} ${String.raw({ raw: parts }, ...values.map((value) => shellQuote(String(value))))}`;
}

/**
 * How gymgen was started: `gymgen`, `npx --no-install gymgen` or `node …/bin/gymgen.cjs`. In the root of a checkout, `npx .`, as
 * in the README. Never `npx gymgen`: without gymgen in the project, that runs whatever package has the name on the registry.
 */
export function invocation({ argv, env, cwd }: Start = thisStart()): string {
  const script = argv[1] ?? '';
  const name = path.basename(script);
  if (name === 'gymgen.cjs') {
    return path.resolve(cwd, script, '../..') === cwd ? 'npx .' : `node ${shellQuote(near(script, cwd))}`;
  }
  if (name !== 'gymgen') return 'gymgen'; // a program that uses the library
  if (env.npm_command === undefined && isOnPath(script, env)) return 'gymgen';
  if (isOfProject(script, cwd)) return 'npx --no-install gymgen';
  const home = env.npm_command === 'exec' ? checkoutOf(script) : undefined;
  if (home !== undefined) return `npx ${shellQuote(dotted(path.relative(cwd, home)))}`;
  return isOnPath(script, env) ? 'gymgen' : shellQuote(near(script, cwd));
}

/** Whether this process is the command line, not a program that uses the library. */
export function isCommandLine(argv: readonly string[] = process.argv): boolean {
  return /^gymgen(?:\.cjs)?$/.test(path.basename(argv[1] ?? ''));
}

/** The running command with more arguments, for a shell. The value of a header, which may be a secret, is left out. */
export function commandAgain(more: readonly string[], argv: readonly string[] = process.argv): string {
  const args = argv.slice(2).map((arg, index, all) => withoutSecret(arg, all[index - 1]));
  const end = args.indexOf('--');
  args.splice(end === -1 ? args.length : end, 0, ...more);
  return [invocation(), ...args.map(shellQuote)].join(' ');
}

function withoutSecret(arg: string, before: string | undefined): string {
  if (before !== '--header' && !arg.startsWith('--header=')) return arg;
  return `${arg.slice(0, arg.indexOf(':') + 1)} …`;
}

/** Replaces `gymgen` in examples such as `$ gymgen check` by the way it was started. */
export function asStarted(examples: string): string {
  const started = invocation();
  return examples.replace(/(?<=[$|(] ?)gymgen(?= )/g, () => started);
}

function thisStart(): Start {
  return { argv: process.argv, env: process.env, cwd: process.cwd() };
}

const HIDDEN = hiddenCharacters('\\0-\\x1f');

/** A word for a POSIX shell. Hidden characters become escapes, in the syntax of bash and zsh. */
export function shellQuote(text: string): string {
  if (/^[\w./@%+:,-]+$/.test(text)) return text;
  const isHidden = text.replace(HIDDEN, '') !== text;
  return isHidden
    ? `$'${text.replace(/[\\']/g, '\\$&').replace(HIDDEN, escapeCharacter)}'`
    : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether npm installed the script in the project of the current folder. */
function isOfProject(script: string, cwd: string): boolean {
  const project = path.resolve(script, '../../..');
  return script === path.join(project, 'node_modules/.bin/gymgen') && isBelow(cwd, project);
}

function isOnPath(script: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  const first = PATH.split(path.delimiter).find((folder) => existsSync(path.join(folder, 'gymgen')));
  return first !== undefined && path.join(first, 'gymgen') === script;
}

/** The folder of `npx FOLDER`, which npm links to from its cache. */
function checkoutOf(script: string): string | undefined {
  const home = path.resolve(realpathSync(script), '../..');
  return isBelow(home, path.resolve(script, '../..')) ? undefined : home;
}

function isBelow(folder: string, parent: string): boolean {
  const relative = path.relative(parent, folder);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`);
}

/** A path for a message: relative if the file is below the current folder. */
export function near(file: string, cwd = process.cwd()): string {
  return isBelow(file, cwd) ? path.relative(cwd, file) : file;
}

/** npm recognizes a folder only if it begins with a dot or a slash. */
function dotted(relative: string): string {
  if (relative === '') return '.';
  return relative.startsWith('.') ? relative : `./${relative}`;
}
