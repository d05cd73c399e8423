// npm run bench [-- FIGURE…]: measures the current build. Without arguments, it also writes the table in
// docs/performance.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { constants, cpus, release, type } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from '../scripts/project.mjs';
import { fuzz } from './fuzz.mjs';
import { keep } from './keep.mjs';
import { limit } from './limit.mjs';
import { probes } from './probes.mjs';
import { report } from './report.mjs';
import { source } from './source.mjs';
import { start } from './start.mjs';
import { table } from './support/rows.mjs';
import { write } from './write.mjs';

/** In the order of the table. Each function resolves to table rows. */
const FIGURES = { write, limit, start, keep, probes, source, report, fuzz };

const PAGE = join(root, 'docs', 'performance.md');
const [BEGIN, END] = ['<!-- figures: made by npm run bench -->', '<!-- figures end -->'];

function writeTable(text) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n${text}\n${END}${rest.split(END)[1]}`);
}

async function main(asked) {
  const unknown = asked.find((name) => !(name in FIGURES));
  if (unknown) {
    console.error(`npm run bench: unknown figure ${unknown}; the figures are ${Object.keys(FIGURES).join(', ')}`);
    return 2;
  }
  ensureInstalled();
  ensureBuilt();
  const rows = [];
  for (const name of asked.length > 0 ? asked : Object.keys(FIGURES)) {
    console.error(`measuring ${name}`);
    rows.push(...(await FIGURES[name]()));
  }
  const machine = `Node ${process.versions.node}, ${type()} ${release()}, ${cpus().length} processors.`;
  console.log(`\n${table(rows)}\n\n${machine}`);
  if (asked.length === 0) writeTable(`${table(rows)}\n\n${machine}`);
  return rows.every(({ met }) => met) ? 0 : 1;
}

// A signal runs the exit handlers, which remove temporary folders.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(128 + constants.signals[signal]));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`npm run bench: ${error.message}`);
  process.exitCode = 1;
}
