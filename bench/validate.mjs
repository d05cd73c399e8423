// A dataset of 200,000 rows: writing it in a package for NeMo Platform, and validating it.

import { join } from 'node:path';
import { gymgen, node, whileStatic, withFolder } from './support/commands.mjs';
import { inTurn, measure } from './support/measure.mjs';
import { PARSE_LINES } from './support/parse-lines.mjs';
import { row, shownBytes, time } from './support/rows.mjs';

const TASKS = 200_000;
const BYTES = 1500; // of a task; its row has a few hundred more
const VALIDATE_MEMORY = 150e6;
const PACKAGE_MEMORY = 100e6;

export async function validate({ repeat = 3 } = {}) {
  return withFolder(async (folder) => {
    const [gymRoot, out] = [join(folder, 'root'), join(folder, 'out')];
    await whileStatic({ splits: { train: TASKS }, bytes: BYTES }, (url) => measure(gymgen(url, gymRoot)));
    const options = ['--format', 'native-v1', '--train', 'train', '--url-is-reachable'];
    const packed = await measure(gymgen('package', gymRoot, '-o', out, ...options));
    const dataset = join(out, 'dataset', 'training.jsonl');
    const { ours, theirs } = await inTurn(
      {
        ours: gymgen('validate', dataset, '--package', join(out, 'environment')),
        theirs: [node, '--input-type=commonjs', '-e', PARSE_LINES, dataset],
      },
      repeat,
    );
    const memory = (what, { bytes }, bound) =>
      row(`${what}: memory`, shownBytes(bytes), 'limit', shownBytes(bound), bytes / bound, 1);
    return [
      time('validating 200,000 rows', ours, 'JSON.parse of each line', theirs, 4),
      memory('validating 200,000 rows', ours, VALIDATE_MEMORY),
      memory('a package with 200,000 rows', packed, PACKAGE_MEMORY),
    ];
  });
}
