import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { entriesOf, look } from './fs.js';
import { isRealFolder } from './link-guard.js';

export const LOCK_FILE = 'gymgen.lock.json';

/** The paths of one run, all below the Gym root. They are relative if the Gym root is. */
export interface Places {
  root: string;
  name: string;
  /** The resources server to write. */
  folder: string;
  /** Holds the staging folders of all runs on this root. */
  gymgen: string;
  /** The staging folder of this run. It is on the file system of `folder`: renames are atomic only within one. */
  staging: string;
  /** The staged files, by their path in `folder`. */
  files: string;
  /** Exists from the start of a commit over an existing folder to its end. */
  journal: string;
  /** The journal while it is being written. */
  journalDraft: string;
  /** Names the process that owns the staging folder. */
  owner: string;
  /** Held by the process that removes the `owner` of a dead one. */
  discardPermit: string;
}

/** @throws Error if `name` cannot name a folder, which is a bug: `rules/` has checked it */
export function placesOf(gymRoot: string, name: string): Places {
  if (!isName(name)) throw new Error(`not the name of a folder: ${JSON.stringify(name)}`);
  const gymgen = join(gymRoot, '.gymgen');
  const root = dirname(gymgen);
  const folder = join(root, 'resources_servers', name);
  return { root, name, folder, gymgen, ...stagingAt(join(gymgen, name)) };
}

/** The paths in a staging folder. */
export function stagingAt(staging: string): Omit<Places, 'root' | 'name' | 'folder' | 'gymgen'> {
  return {
    staging,
    files: join(staging, 'files'),
    journal: join(staging, 'journal.json'),
    journalDraft: join(staging, 'journal.json.new'),
    owner: join(staging, 'owner.json'),
    discardPermit: join(staging, 'owner.json.discard'),
  };
}

/** The fix for a staging folder that no run can complete. */
export function discardStagingFix({ staging }: Pick<Places, 'staging'>): string {
  return `remove ${staging}, then write the folder again with --force`;
}

function isName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name);
}

/** Upper bounds on the bytes of a path and of one of its parts (POSIX: PATH_MAX, NAME_MAX). */
const MAX_PATH = 1024;
const MAX_PART = 255;

/**
 * Whether a relative path names a file below its base folder, on every file system, and not a file in `.git`, which can
 * make git run a program.
 */
export function isSafePath(path: string): boolean {
  return !/[\\:\p{Cc}]/u.test(path) && path.split('/').every(isSafePart);
}

/** Whether a path is within the length limits of file systems. */
export function isShortPath(path: string): boolean {
  const isShort = (part: string) => Buffer.byteLength(part) <= MAX_PART;
  return Buffer.byteLength(path) <= MAX_PATH && path.split('/').every(isShort);
}

/** Whether a path leads through a `.git` folder or file. */
export function hasGitPart(path: string): boolean {
  return path.split(/[\\/]/).some((part) => isGit(normalized(part)));
}

function isSafePart(part: string): boolean {
  const isRelative = ['', '.', '..'].includes(withoutIgnored(part).trimEnd());
  return !isRelative && !isGit(normalized(part));
}

/** NTFS's short name of `.git` is `git~1`. */
function isGit(name: string): boolean {
  return name === '.git' || /^git~[0-9]+$/.test(name);
}

/**
 * What file systems may treat as the same name: HFS+ ignores format characters; NTFS ignores dots and blanks at the end, and
 * what follows a colon (git: `is_hfs_dotgit` in utf8.c, `is_ntfs_dotgit` in path.c).
 */
function normalized(part: string): string {
  const [name = ''] = withoutIgnored(part).split(':');
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return folded(name.slice(0, end));
}

function withoutIgnored(part: string): string {
  return part.replace(/\p{Cf}/gu, '');
}

/** Equal for two paths of one file on systems that ignore case or Unicode composition, such as macOS and Windows. */
export function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Guards against bugs in gymgen: the generated paths of one run are safe, and none blocks another. */
export class PathGuard {
  private readonly files = new Set<string>([folded(LOCK_FILE)]);
  private readonly folders = new Set<string>();

  /** @throws Error, since `rules/` has checked the paths */
  add(path: string): void {
    if (!isSafePath(path)) throw new Error(`unsafe path of a generated file: ${JSON.stringify(path)}`);
    const parts = folded(path).split('/');
    const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    const file = parts.join('/');
    if (this.files.has(file) || this.folders.has(file) || parents.some((parent) => this.files.has(parent))) {
      throw new Error(`generated file conflicts with another: ${JSON.stringify(path)}`);
    }
    this.files.add(file);
    for (const parent of parents) this.folders.add(parent);
  }
}

/** Names that Gym, Python and macOS create in a folder: `git switch` removes tracked files and leaves these. */
export const LEFTOVER = /^(\.venv|__pycache__|\.pytest_cache|\.ruff_cache|.*\.egg-info|\.DS_Store)$/;

/**
 * Checks that a staging folder is as gymgen creates it, since it may have come with a repository. Follows no symlink.
 * @returns false if it does not exist
 * @throws UserError if it, or a folder above or in it, is a symlink or a file, or if one of its files is not a regular file
 */
export async function assertStaging({ gymgen, staging, ...places }: Places): Promise<boolean> {
  for (const folder of [gymgen, staging]) if (!(await isRealFolder(folder))) return false;
  await isRealFolder(places.files);
  for (const file of [places.journal, places.journalDraft, places.owner, places.discardPermit]) {
    const found = await look(file);
    if (!found || found.isFile()) continue;
    throw new UserError('not a regular file', { where: file, fix: `remove ${staging}` });
  }
  return true;
}

/**
 * The staging folders of a Gym root, by name. Entries that gymgen does not create are ignored.
 * @throws UserError if one is not as gymgen creates it
 */
export async function stagingFolders(gymRoot: string): Promise<Places[]> {
  const gymgen = join(gymRoot, '.gymgen');
  if (!(await isRealFolder(gymgen))) return [];
  const entries = (await entriesOf(gymgen)) ?? [];
  const found = entries.filter((entry) => isName(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()));
  const all = found.map(({ name }) => placesOf(gymRoot, name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const places of all) await assertStaging(places);
  return all;
}
