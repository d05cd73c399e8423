import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const LONGEST = 120;

/** Text wrapped to lines of up to 120 characters. @param indent before the second and later lines */
export function wrapped(text: string, indent = ''): string {
  const [, lead = '', rest = ''] = /^( *)(.*)$/s.exec(text) ?? [];
  const [first = '', ...words] = rest.split(' ');
  const lines = [lead + first];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > LONGEST) lines.push(indent + word);
    else lines[lines.length - 1] = line;
  }
  return lines.join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** `a`, `b` or `c` */
export function either(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}

/** Compares a generated page with the file in `docs/`, or writes the file with GYMGEN_UPDATE_GOLDEN=1. */
export function expectPage(name: string, text: string): void {
  expectFile(`docs/${name}`, text);
  expect(text.split('\n').filter((line) => line.length > LONGEST)).toEqual([]);
}

/** Compares a generated text with a file of the repository, or writes the file with GYMGEN_UPDATE_GOLDEN=1. */
export function expectFile(path: string, text: string): void {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (process.env.GYMGEN_UPDATE_GOLDEN === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8'), `${path} is out of date: run with GYMGEN_UPDATE_GOLDEN=1`).toBe(text);
}
