import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { GymOptions } from '../../src/model.js';
import { discovery, options, task, tool, toolset } from './discovery.js';
import { generate } from './files.js';

const FIVE = [0, 1, 2, 3, 4].map((index) => task(index));

describe('a folder', () => {
  it('contains the bridge unchanged, then the rows, then the other files', async () => {
    const { files, findings } = await generate(discovery([...FIVE, task(0, { split: 'eval' })]), options());
    expect(findings.list).toEqual([]);
    const bridge = fileURLToPath(new URL('../../templates/server/openenv_bridge', import.meta.url));
    const modules = (await readdir(bridge)).filter((name) => name.endsWith('.py')).sort();
    expect([...files.keys()]).toEqual([
      ...modules.map((name) => `openenv_bridge/${name}`),
      'data/train.jsonl',
      'data/eval.jsonl',
      'toolsets.json',
      'configs/gridsim_v1.yaml',
      'app.py',
      'pyproject.toml',
      'task_data.py',
      'tests/test_app.py',
      'README.md',
    ]);
    for (const name of modules) {
      expect(files.get(`openenv_bridge/${name}`)).toBe(await readFile(join(bridge, name), 'utf8'));
    }
  });

  it('contains bundle_child only if the config has a bundle', async () => {
    const child = async (server: GymOptions['server']) => {
      const { files, findings } = await generate(discovery(FIVE), options({ server }));
      expect(findings.list).toEqual([]);
      const importing = [...files].filter(([, text]) => /^ *(?:from|import) bundle_child\b/m.test(text));
      return { names: [...files.keys()].filter((path) => path.startsWith('bundle_child/')), importing };
    };
    expect(await child({ url: 'http://127.0.0.1:8000' })).toEqual({ names: [], importing: [] });
    const { names, importing } = await child({ bundle: 'hello', framework: '0.9.1364' });
    expect(names).toEqual(
      ['__init__', 'bundle', 'leftovers', 'loopback', 'serve_bundle', 'toolset_key'].map(
        (name) => `bundle_child/${name}.py`,
      ),
    );
    expect(importing.map(([path]) => path)).toEqual(['app.py']);
  });

  it('is the same in two runs', async () => {
    const files = async () => [...(await generate(discovery(FIVE), options())).files];
    expect(await files()).toEqual(await files());
  });

  it('has five example rows if there are datasets', async () => {
    const datasets = { train: 'train', license: 'MIT', examples: true };
    const { files } = await generate(discovery([...FIVE, task(5)]), options({ datasets }));
    expect(files.get('data/example.jsonl')).toBe(
      (files.get('data/train.jsonl') as string).split('\n').slice(0, 5).join('\n').concat('\n'),
    );
  });

  it('reports everything that Gym would refuse at once, and has no files', async () => {
    const bad = toolset([[tool('verify'), tool('a.b')]]);
    const tasks = [
      task(0, { split: 'a/b', toolset: bad, prompt: '' }),
      task(0, { split: 'eval' }),
      task(0, { split: 'Eval' }),
    ];
    const { files, findings } = await generate(
      discovery(tasks),
      options({
        name: 'class',
        server: { url: 'nowhere' },
        renameTools: { nope: 'x' },
        datasets: { train: 'train', license: 'GPL', examples: true },
      }),
    );
    expect([...files.keys()]).toEqual([]);
    expect(findings.list.map(({ code }) => code)).toEqual([
      'name-keyword',
      'config-url',
      'dataset-license',
      'split-file',
      'split-collision',
      'dataset-split',
      'tool-route',
      'tool-name',
      'row-prompt',
      'rename-unmatched',
    ]);
  });

  it('stops after the rows if the tasks have a problem', async () => {
    const { files, findings } = await generate(
      discovery([task(0)]),
      options({ datasets: { train: 'train', license: 'MIT', examples: true }, renameTools: { submit: 'x' } }),
    );
    expect([...files.keys()].filter((path) => !path.startsWith('openenv_bridge/'))).toEqual(['data/train.jsonl']);
    expect(findings.list.map(({ code }) => code)).toEqual(['rename-unmatched', 'dataset-example']);
  });
});
