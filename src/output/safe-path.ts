/** Upper bounds on the bytes of a path and of one of its parts (POSIX: PATH_MAX, NAME_MAX). */
const LONGEST_PATH = 1024;
const LONGEST_PART = 255;

/**
 * Whether `path` names a file below the folder that it is joined to, on every file system, and nothing of git's: a file in
 * `.git` can make git run a program.
 */
export function isSafePath(path: string): boolean {
  return !/[\\:\p{Cc}]/u.test(path) && path.split('/').every(isSafePart);
}

/** Whether a path is no longer than file systems take. */
export function isShortPath(path: string): boolean {
  const isShort = (part: string) => Buffer.byteLength(part) <= LONGEST_PART;
  return Buffer.byteLength(path) <= LONGEST_PATH && path.split('/').every(isShort);
}

/** Whether a path goes through a `.git` folder or file. */
export function hasGitPart(path: string): boolean {
  return path.split(/[\\/]/).some((part) => isGit(plain(part)));
}

function isSafePart(part: string): boolean {
  const isRelative = ['', '.', '..'].includes(withoutIgnored(part).trimEnd());
  return !isRelative && !isGit(plain(part));
}

/** NTFS's short name of `.git` is `git~1`. */
function isGit(name: string): boolean {
  return name === '.git' || /^git~[0-9]+$/.test(name);
}

/**
 * What file systems may take for the same name: HFS+ ignores format characters, and NTFS dots and blanks at the end, and
 * what follows a colon (git: `is_hfs_dotgit` in utf8.c, `is_ntfs_dotgit` in path.c).
 */
function plain(part: string): string {
  const [name = ''] = withoutIgnored(part).split(':');
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return folded(name.slice(0, end));
}

function withoutIgnored(part: string): string {
  return part.replace(/\p{Cf}/gu, '');
}

/** Two paths that are one file where case or Unicode composition don't count, as on macOS and Windows. */
export function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
