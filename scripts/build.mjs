// npm run build: dist/, which the package publishes. What a command needs of src/ and of npm's packages is in a few files,
// since Node takes longer to find and read some 300 modules than gymgen takes for a small root. Types are tsc's.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { handlebars } from './handlebars.mjs';
import { root } from './project.mjs';
import { wat } from './wat.mjs';

const dist = join(root, 'dist');

/** The folders in node_modules of which something is in these chunks. */
function packagesIn(chunks) {
  const found = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id));
  return [...new Set(found.flatMap((match) => match ?? []))].sort();
}

/** Their licences, which want to be told with what is copied from them. */
function notices(packages) {
  return packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file, which dist/ must tell`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
}

/**
 * @param input the file of each entry, by its path in dist/ without its extension
 * @param format `cjs` for what the command runs: Node loads it in less time than ES modules
 * @param codeSplitting false for one file, which also has what is imported dynamically
 */
async function bundle(input, format, codeSplitting = true) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await build({
    input,
    platform: 'node',
    plugins: [handlebars, wat],
    resolve: { alias: { handlebars: 'handlebars/runtime.js' } }, // the compiler isn't needed
    onLog: (_, { message }) => {
      throw new Error(message);
    },
    output: {
      dir: dist,
      format,
      codeSplitting,
      comments: { jsdoc: false }, // a third of commander's bytes
      entryFileNames: `[name].${extension}`,
      // As deep as src/*/: what is found beside dist/ is found by the same path from both.
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
