// `check`, `record` and recordings, against the write of the same root.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gymgen, whileStatic, withFolder } from './support/commands.mjs';
import { inTurn, measure } from './support/measure.mjs';
import { memory, time } from './support/rows.mjs';

const SERVED = { splits: { train: 100_000 }, bytes: 2400 };

export async function keep({ repeat = 3 } = {}) {
  const { write, check, record, recorded } = await whileStatic(SERVED, (url) =>
    withFolder(async (folder) => {
      const at = (name) => join(folder, name);
      const recording = at('kept.jsonl');
      await measure(gymgen(url, at('checked')));
      await measure(gymgen('record', url, recording));
      const commands = {
        write: gymgen(url, at('write')),
        check: gymgen('check', url, at('checked')),
        record: gymgen('record', url, at('record.jsonl')),
        recorded: gymgen(recording, at('recorded')),
      };
      return inTurn(commands, repeat, async () => {
        for (const name of ['write', 'record.jsonl', 'recorded']) rmSync(at(name), { recursive: true, force: true });
      });
    }),
  );
  return [
    time('check, nothing differs', check, 'a write', write, 1.3),
    memory('check, nothing differs', check, 'a write', write),
    time('record', record, 'a write', write),
    time('from a recording', recorded, 'a write', write),
    memory('from a recording', recorded, 'a write', write),
  ];
}
