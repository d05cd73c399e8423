// npm run build: bundles src/ and the npm packages into dist/, which the package publishes. Without a bundle, Node would take
// longer to find and read some 300 modules than gymgen takes to write a small root. build-types.mjs writes the types.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { handlebars } from './handlebars.mjs';
import { packageOf, pageAssets } from './page-assets.mjs';
import { root } from './project.mjs';

const dist = join(root, 'dist');
/** Folders of the packages whose code is part of a page. */
const inPages = new Set();

/** The folders in node_modules whose code is in these chunks. */
function packagesIn(chunks) {
  const found = chunks.flatMap(({ moduleIds }) => moduleIds).flatMap((id) => packageOf(id) ?? []);
  return [...new Set([...found, ...inPages])].sort();
}

/** The licenses of these packages, which must accompany copies of their code. */
function notices(packages) {
  return packages.map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file && license !== 'MIT') throw new Error(`${name} has no license file`);
    const text = file ? readFileSync(join(folder, file), 'utf8') : mit(author);
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
}

/** The text of the MIT license, for a package that only names it. */
function mit(author) {
  const text = readFileSync(join(root, 'scripts/mit.txt'), 'utf8');
  return `MIT License\n\nCopyright (c) ${author}\n\n${text}`;
}

rmSync(dist, { recursive: true, force: true });
const { output } = await build({
  input: { 'cli/main': join(root, 'src/cli/main.ts'), index: join(root, 'src/index.ts') },
  platform: 'node',
  plugins: [handlebars, pageAssets(inPages)],
  resolve: { alias: { handlebars: 'handlebars/runtime.js' } }, // templates are compiled by the plugin
  checks: { bundlerTimings: false }, // a slow machine is not a fault of the build
  onLog: (_, { message }) => {
    throw new Error(message);
  },
  output: {
    dir: dist,
    comments: { jsdoc: false }, // a third of commander's bytes
    entryFileNames: '[name].js',
    // As deep as src/*/, so that the same relative path leads from both to the package's other folders.
    chunkFileNames: 'chunks/[name].js',
  },
});
const chunks = output.filter(({ type }) => type === 'chunk');
const ruler = `\n${'-'.repeat(80)}\n`;
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices(packagesIn(chunks)).join(ruler));
