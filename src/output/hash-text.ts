import { Digest } from './digest.js';

/** The hash of a text, without its lines that match `settings`. */
export function hashText(text: string, settings?: RegExp): string {
  const digest = new Digest();
  const kept = settings
    ? text
        .split(/\r?\n/)
        .filter((line) => !settings.test(line))
        .join('\n')
    : text;
  digest.update(Buffer.from(kept));
  return digest.end();
}
