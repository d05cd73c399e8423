import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../source/cache.js';
import { CodeCache } from './code-cache.js';
import { collectAlone, letHeapGrow } from './heap.js';

/** Runs the command line as it was built, from what earlier runs compiled. */
export function start(argv: string[]): Promise<void> {
  collectAlone();
  const cache = new CodeCache(path.join(cacheFolder(), 'code'));
  process.once('exit', () => {
    letHeapGrow(); // the flags are those of the begin, then
    cache.save();
  });
  const { main } = cache.load(fileURLToPath(new URL('main.cjs', import.meta.url))) as typeof import('./main.js');
  return main(argv);
}
