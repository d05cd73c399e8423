// Puts the parts of a generated page into the build as texts: its style sheets, and its script with all imported
// modules.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * A rolldown (and vite) plugin: `import text from './page.css?text'`, and `import text from './page.js?script'` for a
 * bundled and minified script. `packages` collects the npm packages in such texts, whose licenses must be published.
 */
export function pageAssets(packages = new Set()) {
  return {
    name: 'page-assets',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\?(?:text|script)$/ },
      handler(source, importer) {
        const [path, query] = source.split('?');
        const file = path.startsWith('.') ? join(dirname(importer), path) : createRequire(importer).resolve(path);
        return `\0${file}?${query}`;
      },
    },
    load: {
      filter: { id: /^\0.*\?(?:text|script)$/ },
      async handler(id) {
        const [file, query] = id.slice(1).split('?');
        const found = packageOf(file);
        if (found) packages.add(found);
        const text = query === 'text' ? readFileSync(file, 'utf8') : await bundled(file, packages);
        if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error(`${file} ends the element that it is in`);
        return { code: `export default ${JSON.stringify(text.trim())};`, moduleType: 'js', map: null };
      },
    },
  };
}

async function bundled(file, packages) {
  const build = await rolldown({ input: file, platform: 'browser' });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  const [{ code, moduleIds }] = output;
  const used = [...new Set(moduleIds.flatMap((id) => packageOf(id) ?? []))];
  for (const found of used) packages.add(found);
  return [...used.map(notice), code].join('\n');
}

/** The license of a package, which must be in each copy of it. */
function notice(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `/*!\n${name} ${version}\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n*/`;
}

/** The folder of the npm package that a module is from. The ids of generated modules start with NUL. */
export function packageOf(id) {
  return id.startsWith('\0') ? undefined : /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}
