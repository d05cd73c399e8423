import { closest } from '../closest.js';
import { configText } from './config.js';
import { type Finding, quote } from './finding.js';

/** The server's tool name → the name in the rows, as `--rename-tool OLD=NEW` gives them. */
type Renames = Readonly<Record<string, string>>;

const CHOOSE = 'choose another NEW in --rename-tool OLD=NEW';

/**
 * `rename-collision`: the bridge maps a name of the rows back, so that each must stand for one tool. The server's own name
 * is a text of the config, which has limits of its own.
 */
export function renames(renameTools: Renames): Finding[] {
  const taken = new Map<string, string>();
  return Object.entries(renameTools).flatMap(([old, name]) => {
    const other = taken.get(name);
    taken.set(name, old);
    if (other === undefined) return configText(`--rename-tool ${quote(`${old}=${name}`)}`, old);
    return [
      {
        code: 'rename-collision',
        where: `--rename-tool ${quote(`${old}=${name}`)}`,
        what: `tool ${quote(other)} is already renamed so`,
        fix: CHOOSE,
      },
    ];
  });
}

/**
 * `rename-taken`: a tool of the server that has the name another one is given. It clashes even where no task offers both,
 * since the config's `tool_names` holds for all tasks: a call of the one would reach the other.
 */
export function renameTaken(serverName: string, renameTools: Renames): Finding[] {
  if (Object.hasOwn(renameTools, serverName)) return [];
  const old = Object.keys(renameTools).find((key) => renameTools[key] === serverName);
  if (old === undefined) return [];
  return [
    {
      code: 'rename-taken',
      where: `--rename-tool ${quote(`${old}=${serverName}`)}`,
      what: 'the server has a tool of that name',
      fix: CHOOSE,
    },
  ];
}

/** `rename-unmatched`: an option that renames nothing is a typing error. `seen` are the server's names of all tools. */
export function renamesUnmatched(renameTools: Renames, seen: ReadonlySet<string>): Finding[] {
  return Object.keys(renameTools)
    .filter((old) => !seen.has(old))
    .map((old) => ({
      code: 'rename-unmatched',
      where: `--rename-tool ${quote(`${old}=${renameTools[old]}`)}`,
      what: `no task offers a tool ${quote(old)}`,
      fix: unmatchedFix(old, [...seen]),
    }));
}

function unmatchedFix(old: string, seen: readonly string[]): string {
  const near = closest(old, seen);
  if (near !== undefined) return `did you mean ${quote(near)}?`;
  return `leave it out, or name one of: ${seen.slice(0, 10).map(quote).join(' ') || '(no tools at all)'}`;
}
