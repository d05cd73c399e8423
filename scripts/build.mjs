// npm run build: writes dist/, which the package publishes. src/ and the npm packages are bundled into a few files,
// because Node takes longer to load 300 modules than gymgen takes to write a small root. tsc writes the types.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { handlebars } from './handlebars.mjs';
import { packageOf, pageAssets } from './page-assets.mjs';
import { root } from './project.mjs';
import { wat } from './wat.mjs';

const dist = join(root, 'dist');
/** Folders of the packages whose code is in the texts of pages. */
const inPages = new Set();

/** The packages in node_modules whose code is in these chunks, by their folders. */
function packagesIn(chunks) {
  const found = chunks.flatMap(({ moduleIds }) => moduleIds).flatMap((id) => packageOf(id) ?? []);
  return [...new Set([...found, ...inPages])].sort();
}

/** The packages' licences, which must be published with the bundled code. */
function notices(packages) {
  return packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file, which dist/ must include`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
}

/**
 * @param input the source file of each entry, by the entry's path in dist/ without extension
 * @param format `cjs` for the command, because Node loads it faster than ES modules
 * @param codeSplitting false for one file, which also has what is imported dynamically
 */
async function bundle(input, format, codeSplitting = true) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await build({
    input,
    platform: 'node',
    plugins: [handlebars, wat, pageAssets(inPages)],
    resolve: { alias: { handlebars: 'handlebars/runtime.js' } }, // without the compiler
    onLog: (_, { message }) => {
      throw new Error(message);
    },
    output: {
      dir: dist,
      format,
      codeSplitting,
      entryFileNames: `[name].${extension}`,
      // As deep as src/*/, so that a path to a file beside dist/ is the same from both.
      chunkFileNames: `chunks/[name].${extension}`,
    },
  });
  return output.filter(({ type }) => type === 'chunk');
}

rmSync(dist, { recursive: true, force: true });
const chunks = [
  ...(await bundle({ 'cli/main': join(root, 'src/cli/main.ts') }, 'cjs')),
  // By itself: what it shares with the command would be in more files, which each command had to load.
  ...(await bundle({ 'openenv/page-worker': join(root, 'src/openenv/page-worker.ts') }, 'cjs', false)),
  ...(await bundle({ index: join(root, 'src/index.ts') }, 'esm')),
];
const twice = chunks.find(({ fileName }, at) => chunks.findIndex((other) => other.fileName === fileName) < at);
if (twice) throw new Error(`two bundles have a ${twice.fileName}`);
const ruler = `\n${'-'.repeat(80)}\n`;
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices(packagesIn(chunks)).join(ruler));
