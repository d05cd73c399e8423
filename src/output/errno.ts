/** The code of an error of the operating system, `ENOENT` and the like. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** `undefined` in place of an error of one of these codes. */
export async function unless<T>(codes: readonly string[], step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (codes.includes(errno(error) ?? '')) return undefined;
    throw error;
  }
}

/** What a look at a path that isn't there may answer. */
export const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** What the removal of a folder that still holds something may answer. */
export const FILLED: readonly string[] = ['ENOTEMPTY', 'EEXIST'];
