/** Whether `path` names a file below the folder that it is joined to, on every file system. */
export function isSafePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL ends a path early in system calls
  return !/[\\\x00]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Two paths that are one file where case or Unicode composition don't count, as on macOS and Windows. */
export function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
