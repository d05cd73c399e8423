import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { which } from '../../scripts/toolchain.mjs';
import { suggest } from '../../src/cli/completion.js';
import { COMMANDS } from '../../src/cli/main.js';
import { OPTIONS, type Option } from '../../src/options/index.js';
import { builtCli, tempFolder } from '../support/built-cli.js';

/** Suggestions for the last word of a command line; undefined if the shell completes a file. */
const values = (line: string) => suggest(line.split(' ').slice(1), COMMANDS)?.map(([value]) => value);

describe('suggestions', () => {
  test('are the commands, each once, and then their second words', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(values('gymgen ')).toEqual([...new Set(names.map((name) => name.split(' ')[0]))]);
    expect(values('gymgen tra')).toEqual(['trainer']);
    expect(values('gymgen trainer ')).toEqual(['nemo-rl', 'axolotl', 'verl']);
    expect(values('gymgen --quiet che')).toEqual(['check']);
  });

  test('are the options of the command, or of write if there is no command', () => {
    expect(values('gymgen check gym-root --run')).toEqual(['--run-source']);
    expect(values('gymgen trainer axolotl gym-root --form')).toEqual(['--form']);
    expect(values('gymgen check --form')).toBeUndefined();
    expect(values('gymgen http://127.0.0.1:8000 gym-root --dr')).toEqual(['--dry-run']);
    expect(values('gymgen demo --')).toEqual(['--serve', '--port', '--json', '--quiet', '--verbose', '--help']);
  });

  test('are the choices of an option or an argument', () => {
    const { choices }: Option = OPTIONS.modelType;
    expect(values('gymgen play gym-root --model-type ')).toEqual(choices);
    expect(values('gymgen play gym-root --model-type=')).toEqual(choices);
    expect(values('gymgen completion ')).toEqual(['bash', 'zsh', 'fish']);
    expect(values('gymgen completion bash ')).toBeUndefined();
  });

  test('leave files to the shell', () => {
    for (const line of ['check gym', 'http://127.0.0.1:8000 gym', '--tasks ', 'check -- --di', 'batch batch.y']) {
      expect(values(`gymgen ${line}`), line).toBeUndefined();
    }
  });

  test('do not take the value of an option for a command', () => {
    expect(values('gymgen --split check --full')).toEqual(['--full-ids']);
  });

  test('have the help of their option', () => {
    expect(suggest(['demo', '--ser'], COMMANDS)).toEqual([['--serve', OPTIONS.serve.help]]);
  });
});

/** The environment of a shell in which `gymgen` is the built command line, and its folder. */
function shell() {
  const folder = tempFolder();
  const bin = fileURLToPath(new URL('../../bin/gymgen.cjs', import.meta.url));
  writeFileSync(join(folder, 'gymgen'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
  mkdirSync(join(folder, 'my-root'));
  return { cwd: folder, env: { PATH: [folder, process.env.PATH].join(delimiter), HOME: folder } };
}

/** Commands for a shell, and the line of its output for each completed command line. */
const LINES = [
  ['gymgen comp', 'completion'],
  ['gymgen trainer ax', 'axolotl'],
  ['gymgen update my-root --keep', '--keep-prompts'],
  ['gymgen play --model-type v', 'vllm_model'],
] as const;

test('bash completes commands, options and choices', async () => {
  const script = `
for twice in 1 2; do source <(gymgen completion bash); done
compopt() { :; }  # works only while a person types
complete -p gymgen
while read -r line; do
  read -ra COMP_WORDS <<< "$line"
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  __gymgen_complete
  echo "\${COMPREPLY[*]}"
done`;
  const input = `${LINES.map(([line]) => line).join('\n')}\n`;
  const { stdout, stderr } = await execa('bash', ['--norc', '-c', script], { ...shell(), input });
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'complete -o default -F __gymgen_complete gymgen',
    ...LINES.map(([, completed]) => completed),
  ]);
});

test.runIf(which('fish'))('fish completes commands, options, choices and files', async () => {
  const { stdout } = await execa(
    'fish',
    ['-N', '-c', 'gymgen completion fish | source; while read -l line; complete -C $line; end'],
    {
      ...shell(),
      input: `${[...LINES.map(([line]) => line), 'gymgen check my-'].join('\n')}\n`,
    },
  );
  const completed = stdout.split('\n').map((line) => line.split('\t')[0]);
  expect(completed).toEqual([...LINES.map(([, word]) => word), 'my-root/']);
});

test.runIf(which('zsh'))('zsh completes commands, options and choices', async () => {
  // Instead of showing the suggestions, _describe prints them.
  const script = `
compdef() { :; }
source <(gymgen completion zsh)
_describe() { print -r -- "\${completions[1]%%:*}"; }
while read -r line; do
  words=(\${=line})
  CURRENT=\${#words}
  _gymgen
done`;
  const input = `${LINES.map(([line]) => line).join('\n')}\n`;
  const { stdout } = await execa('zsh', ['-f', '-c', script], { ...shell(), input });
  expect(stdout.split('\n')).toEqual(LINES.map(([, completed]) => completed));
});

test('another shell is rejected, naming the supported shells', async () => {
  const { exitCode, stderr } = await builtCli()(['completion', 'tcsh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
