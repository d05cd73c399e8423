// Runs the lines of docs/ci.md: those of its workflow and of its hooks, in a project with a Gym root and a recording.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { plainEnv, tempFolder } from './support/gymgen.js';
import { REPOSITORY, toolchainEnv } from './support/toolchain.js';

const project = join(tempFolder(), 'project');
const rows = join(project, 'gym-root/resources_servers/gridsim_v1/data/train.jsonl');

interface Workflow {
  jobs: Record<string, { steps: { run?: string; uses?: string }[] }>;
}

/** The code blocks of one language. */
function blocks(language: string): string[] {
  const text = readFileSync(join(REPOSITORY, 'docs/ci.md'), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, code]) =>
    found === language ? [code as string] : [],
  );
}

const one = (language: string, mark: string) => {
  const found = blocks(language).filter((code) => code.includes(mark));
  if (found.length !== 1) throw new Error(`docs/ci.md has ${found.length} blocks of ${language} with ${mark}`);
  return found[0] as string;
};

const fixtures = one('yaml', 'name: fixtures');
const linesOf = (workflow: string) =>
  Object.values((parse(workflow) as Workflow).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

async function run(command: string, ...args: string[]) {
  const env = plainEnv({
    PATH: toolchainEnv().PATH ?? '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    NPM_CONFIG_AUDIT: 'false',
    NPM_CONFIG_FUND: 'false',
  });
  const options = { cwd: project, extendEnv: false, env, all: true, reject: false, stdin: 'ignore' } as const;
  const { exitCode, all, stdout } = await execa(command, args, options);
  return { exitCode, all, stdout };
}

async function must(command: string, ...args: string[]): Promise<void> {
  const { exitCode, all } = await run(command, ...args);
  if (exitCode !== 0) throw new Error(`${command} ${args.join(' ')}\nended with ${exitCode}:\n${all}`);
}

const shell = (line: string) => run('bash', '-eo', 'pipefail', '-c', line); // as GitHub runs a step

/** Commits with a fixed author. */
const commit = (...more: string[]) =>
  run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'A change', ...more);

function changeARow(): void {
  writeFileSync(rows, readFileSync(rows, 'utf8').replace('"content":"', '"content":"Mind: '));
}

beforeAll(async () => {
  mkdirSync(join(project, 'vendor'), { recursive: true });
  mkdirSync(join(project, 'fixtures'));
  await must('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', join(project, 'vendor'), REPOSITORY);
  const packed = readdirSync(join(project, 'vendor'));
  expect(one('bash', 'npm install')).toContain(`vendor/${packed[0]}`);
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n');
  const roots = join(REPOSITORY, 'fixtures/roots');
  const recording = readFileSync(join(roots, 'gridsim.jsonl'));
  writeFileSync(join(project, 'fixtures/shop.jsonl.gz'), gzipSync(recording));
  const server = 'resources_servers/gridsim_v1';
  cpSync(join(roots, server), join(project, 'gym-root', server), { recursive: true });
  await must('bash', '-ec', one('bash', 'npm install'));
  await must('git', 'init', '-q');
  await must('git', 'add', '.');
  expect(await commit()).toMatchObject({ exitCode: 0 });
});

afterEach(() => must('git', 'reset', '-q', '--hard'));

describe('the workflow', () => {
  test('passes if the Gym root is up to date', async () => {
    const lines = linesOf(fixtures);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(await shell(line), line).toMatchObject({ exitCode: 0 });
  });

  test('fails if a row was changed, with an annotation at its line', async () => {
    changeARow();
    const { exitCode, stdout } = await shell(linesOf(fixtures).at(-1) as string);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^::error file=gym-root\/resources_servers\/gridsim_v1\/data\/train\.jsonl,line=1\b/m);
  });
});

describe('the hook', () => {
  test('of pre-commit passes, and fails if a row was changed', async () => {
    writeFileSync(join(project, '.pre-commit-config.yaml'), one('yaml', 'repos:'));
    await must('git', 'add', '.');
    const hook = () => run('uv', 'tool', 'run', 'pre-commit', 'run', '--all-files');
    expect(await hook()).toMatchObject({ exitCode: 0, all: expect.stringMatching(/up to date\.+Passed/) });
    changeARow();
    await must('git', 'add', '.');
    expect(await hook()).toMatchObject({
      exitCode: 1,
      all: expect.stringMatching(/Failed[\s\S]*^edited {2}data\/train\.jsonl$/m),
    });
  });

  test('of git accepts a commit, and rejects one in which a row was changed', async () => {
    writeFileSync(join(project, '.git/hooks/pre-commit'), one('sh', '#!/bin/sh'), { mode: 0o755 });
    expect(await commit('--allow-empty')).toMatchObject({ exitCode: 0 });
    changeARow();
    const { exitCode, all } = await commit('--all');
    expect(exitCode).toBe(1);
    expect(all).toMatch(/^edited {2}data\/train\.jsonl$/m);
  });

  test('of git checks what is staged, not the working tree', async () => {
    writeFileSync(join(project, '.git/hooks/pre-commit'), one('sh', '#!/bin/sh'), { mode: 0o755 });
    const before = readFileSync(rows, 'utf8');
    changeARow();
    await must('git', 'add', '.');
    writeFileSync(rows, before);
    expect(await commit()).toMatchObject({
      exitCode: 1,
      all: expect.stringMatching(/^edited {2}data\/train\.jsonl$/m),
    });
  });

  test('of pre-commit runs when the version of gymgen changes', () => {
    const { repos } = parse(one('yaml', 'repos:')) as { repos: { hooks: { files: string }[] }[] };
    const files = new RegExp(repos[0]?.hooks[0]?.files as string);
    const hit = [
      'gym-root/a',
      'fixtures/shop.jsonl.gz',
      'vendor/gymgen-0.1.0.tgz',
      'package.json',
      'package-lock.json',
    ];
    expect([...hit, 'src/a.ts', 'docs/package.json'].filter((file) => files.test(file))).toEqual(hit);
  });
});

describe("the repository's own workflows", () => {
  const own = (name: string) => readFileSync(join(REPOSITORY, '.github/workflows', name), 'utf8');
  test('are those in the docs, and run existing scripts', () => {
    expect(one('yaml', 'name: weekly')).toBe(own('weekly.yml'));
    const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
    const called = ['ci.yml', 'weekly.yml'].flatMap((name) => linesOf(own(name)));
    expect(called.map((line) => /^npm (?:run )?(\S+)/.exec(line)?.[1])).toEqual(['test', 'test:gym']);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['test', 'test:gym']));
  });
});
