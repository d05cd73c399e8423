import { stat } from 'node:fs/promises';

/** Whether a source is a recording: it is a file, which no other kind of source is. */
export async function isRecording(source: string): Promise<boolean> {
  const found = await stat(source).catch(() => undefined);
  return found?.isFile() ?? false;
}

/** The same as of `recorded.ts`, which is loaded for it. */
export async function openRecording(...args: Parameters<typeof import('./recorded.js').openRecording>) {
  const recorded = await import('./recorded.js');
  return recorded.openRecording(...args);
}
