import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requestOf } from '../../src/operations/request.js';
import { update } from '../../src/operations/update.js';
import { write } from '../../src/operations/write.js';
import { userKey } from '../../src/state/user-state.js';
import { childProcesses, type Outcome } from '../output/support/child.js';
import { write as commit, folderOf, NAME, put, snapshot } from '../output/support/gym-root.js';
import { builtCli, tempFolder } from '../support/built-cli.js';
import { Said } from '../support/discovered.js';

const gymgen = builtCli();
const run = childProcesses();

/** A Gym root whose write was killed in its commit. @param isFirst whether its folder has no lock file yet */
async function killed(isFirst: boolean): Promise<string> {
  const root = join(tempFolder(), 'root');
  const begin = async () => {
    rmSync(root, { recursive: true, force: true });
    if (isFirst) put(folderOf(root), { '.venv/x': '' });
    else await commit(root, { 'app.py': 'old\n' });
  };
  const files = { 'app.py': 'new\n', 'z.py': 'z\n' };
  await userKey(); // otherwise, the first process creates it, in more steps
  await begin();
  const { steps } = (await run({ gymRoot: root, files }).outcome) as Outcome;
  await begin();
  await run({ gymRoot: root, files, killAt: steps.indexOf('rename app.py') + 2 }).outcome;
  return root;
}

describe.each([
  ['an existing folder', false],
  ['a folder without a lock file', true],
])('a write of %s that was killed in its commit', (_, isFirst) => {
  test('is reported by read-only commands, and completed by the command that they name', async () => {
    const root = await killed(isFirst);
    const before = snapshot(root);
    expect(Object.keys(before)).toContain(`.gymgen/${NAME}/journal.json`);
    const source = 'http://127.0.0.1:9';
    for (const args of [
      ['check', root],
      ['check', source, root],
      [source, root, '--dry-run'],
      [source, root, '--diff'],
      ['batch', '--check', '--root', root, '--source', source],
    ]) {
      const { exitCode, stderr, stdout } = await gymgen(args);
      expect(exitCode, args.join(' ')).toBe(2);
      expect(`${stdout}${stderr}`).toContain(`complete it: npx . update ${root} --name ${NAME}`);
      expect(snapshot(root)).toEqual(before);
    }
    const { stderr } = await gymgen(['update', root, '--name', NAME]);
    expect(stderr).toContain(`completed the interrupted write of '${NAME}'`);
    expect(readFileSync(join(folderOf(root), 'z.py'), 'utf8')).toBe('z\n');
    expect(Object.keys(snapshot(root))).not.toContain('.gymgen');
  });

  test.each([
    ['write', write],
    ['update', update],
  ])('is completed with a warning by the operation %s', async (_, operation) => {
    const root = await killed(isFirst);
    const said = new Said();
    const request = requestOf('http://127.0.0.1:9', root, {});
    await expect(operation(request, said, new AbortController().signal)).rejects.toThrow(/connection refused/);
    expect(said.warnings).toEqual([`completed the interrupted write of '${NAME}'`]);
    expect(Object.keys(snapshot(root))).not.toContain('.gymgen');
  });
});
