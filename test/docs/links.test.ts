import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../e2e/support/toolchain.js';

/** The paths of the files in the npm package. */
async function packedFiles(): Promise<Set<string>> {
  const { stdout } = await execa('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: REPOSITORY });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

const textOf = (file: string) => readFileSync(new URL(file, `file://${REPOSITORY}`), 'utf8');

/** Markdown outside of code. */
const prose = (text: string) => text.replace(/^(```+|~~~+).*\n[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '`code`');

const linksOf = (text: string) =>
  [...prose(text).matchAll(/\]\(<?([^)\s>]+)|^\[[^\]]+\]: (\S+)/gm)].map((match) => match[1] ?? match[2] ?? '');

/** Anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(
    ([, heading]) => heading ?? '',
  );
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('each link in the pages of the npm package leads to a file and a heading in it, or is a URL', async () => {
  const files = await packedFiles();
  const pages = [...files].filter((file) => /^(?:[A-Z]+|docs\/.*)\.md$/.test(file));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/cli.md']));
  const broken: string[] = [];
  for (const page of pages) {
    for (const link of linksOf(textOf(page))) {
      if (/^https?:\/\//.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path));
      const isFile = files.has(target) || [...files].some((file) => file.startsWith(`${target.replace(/\/$/, '')}/`));
      const hasAnchor = anchor === undefined || (isFile && anchorsOf(textOf(target)).has(anchor));
      if (!isFile || !hasAnchor) broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});
