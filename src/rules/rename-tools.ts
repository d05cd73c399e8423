import { closest } from '../closest.js';
import { configText } from './config.js';
import { error, type Finding, quote } from './finding.js';

/** The server's tool names, each with its name in the rows, from `--rename-tool OLD=NEW`. */
type Renames = Readonly<Record<string, string>>;

const CHOOSE = 'choose another NEW in --rename-tool OLD=NEW';
/** Upper bound on the tools that a fix names. */
const NAMED = 10;

/**
 * `rename-collision`: the bridge maps a name in the rows back to the server's, so two tools must not share one. The server's
 * name is also a text of the config.
 */
export function renames(renameTools: Renames): Finding[] {
  const taken = new Map<string, string>();
  return Object.entries(renameTools).flatMap(([old, name]) => {
    const other = taken.get(name);
    taken.set(name, old);
    if (other === undefined) return configText(option(old, name), old);
    return [error('rename-collision', option(old, name), `tool ${quote(other)} already has this new name`, CHOOSE)];
  });
}

/**
 * `rename-taken`: the server has a tool with the new name of another. They clash even if no task offers both, because the
 * config's `tool_names` holds for all tasks.
 */
export function renameTaken(serverName: string, renameTools: Renames): Finding[] {
  if (Object.hasOwn(renameTools, serverName)) return [];
  const old = Object.keys(renameTools).find((key) => renameTools[key] === serverName);
  if (old === undefined) return [];
  return [error('rename-taken', option(old, serverName), 'the server has a tool with this name', CHOOSE)];
}

/**
 * `rename-unmatched`: a rename without a tool is a typing error.
 * @param seen the server's names of all tools
 */
export function renamesUnmatched(renameTools: Renames, seen: ReadonlySet<string>): Finding[] {
  return Object.entries(renameTools)
    .filter(([old]) => !seen.has(old))
    .map(([old, name]) =>
      error('rename-unmatched', option(old, name), `no task offers a tool ${quote(old)}`, unmatchedFix(old, [...seen])),
    );
}

function unmatchedFix(old: string, seen: readonly string[]): string {
  const near = closest(old, seen);
  if (near !== undefined) return `did you mean ${quote(near)}?`;
  return `omit it, or name one of: ${seen.slice(0, NAMED).map(quote).join(' ') || '(no tools)'}`;
}

function option(old: string, name: string): string {
  return `--rename-tool ${quote(`${old}=${name}`)}`;
}
