import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Finds a program on PATH. Relative entries of PATH are skipped: they would name programs of the current folder.
 * @returns its absolute path, or undefined
 */
export async function which(program: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, program);
    if (path.isAbsolute(folder) && (await isExecutable(file))) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
