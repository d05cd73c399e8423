import { createHash } from 'node:crypto';
import type { OwnWheel } from '../types.js';
import { type ZipEntry, zip } from './zip.js';

export interface WheelParts {
  /** Normalized with underscores, as in file names. */
  project: string;
  /** Default: 0.0.0, because the package's name changes with the content. */
  version?: string;
  /** Requirements. */
  requires: readonly string[];
  /** Lines of entry_points.txt, if there are any. */
  entryPoints?: readonly string[];
  /** Files by their path below site-packages. */
  files: readonly ZipEntry[];
}

/** Builds a wheel of plain Python files (PEP 427, core metadata 2.1). */
export function buildWheel({ project, version = '0.0.0', requires, entryPoints, files }: WheelParts): OwnWheel {
  const info = `${project}-${version}.dist-info`;
  const text = (name: string, lines: readonly string[]) => ({
    path: `${info}/${name}`,
    content: Buffer.from(`${lines.join('\n')}\n`),
  });
  const name = project.replaceAll('_', '-');
  const metadata = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`];
  const entries = [
    ...[...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
    text('METADATA', [...metadata, ...requires.map((line) => `Requires-Dist: ${line}`)]),
    text('WHEEL', ['Wheel-Version: 1.0', 'Generator: gymgen', 'Root-Is-Purelib: true', 'Tag: py3-none-any']),
    ...(entryPoints ? [text('entry_points.txt', entryPoints)] : []),
  ];
  const record = entries.map(({ path, content }) => `${quoted(path)},sha256=${digest(content)},${content.length}`);
  const content = zip([...entries, text('RECORD', [...record, `${info}/RECORD,,`])]);
  return { file: `${project}-${version}-py3-none-any.whl`, content, requires, requirement: `${name}==${version}` };
}

/** RECORD is a CSV file. */
function quoted(path: string): string {
  return /[",\n]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path;
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
