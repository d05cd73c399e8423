import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { ERROR_CODES } from '../../src/errors.js';
import { apiTypes } from './api-types.js';
import { type Declaration, declarationsIn } from './declarations.js';
import { code, expectFile, expectPage, wrapped } from './markdown.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

// These run before docs/api.md, which shows the types.
test.each(apiTypes())('%s is generated', (path, text) => expectFile(path, text));

test('docs/api.md is generated from the comments of the library', () => {
  expectPage('api.md', page());
});

const INTRO = `\
# Library

<!-- Generated from src/index.ts. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run --project unit test/docs -->

\`\`\`ts
import { write } from 'gymgen';

await write('http://127.0.0.1:8000', 'gym-root', { limit: 5 });
\`\`\`

Each function does what the command of the same name does:

- Options have the names of the [command line](cli.md) in camel case: \`--tool-timeout\` is \`toolTimeout\`. The defaults,
  the checks of the values and the [lock file](lock.md) of a written folder are the same.
- The results are the documents that \`--json\` prints ([json.md](json.md)).
- A function prints nothing and does not end the process. Pass a [reporter](#runs) to receive progress and warnings.
- To stop a run, abort its \`signal\`, for example on SIGINT. A stopped run leaves no half-written files.

The package is an ES module with its own types. It also exports its JSON schemas, such as \`gymgen/schemas/lock.json\`,
\`gymgen/schemas/batch-file.json\` and \`gymgen/schemas/json/write.json\`, and \`gymgen/package.json\`.
`;

const FUNCTIONS = ['write', 'check', 'update', 'record', 'inspect', 'batch'];

function page(): string {
  const codes = Object.entries(ERROR_CODES).map(([name, meaning]) => `- ${code(name)}: ${meaning}`);
  const [error] = named('errors.ts', ['UserError']);
  return [
    INTRO,
    ...FUNCTIONS.flatMap((name) => functionText(name)),
    '## Errors\n',
    `${wrapped(`${oneLine(error?.comment.summary ?? '')} ${ABORTED}`)}\n`,
    codeBlock(error?.text ?? ''),
    '\n`code` is one of these:\n',
    ...codes.map((line) => wrapped(line, '  ')),
    '\n## Runs\n',
    typesOf('api/run.ts', ['RunOptions']),
    typesOf('reporter.ts', ['Reporter', 'OnProgress', 'Progress', 'OnRequest', 'SentRequest']),
    typesOf('api/batch-reporter.ts'),
    '## Options\n',
    typesOf('api/options.ts'),
    typesOf('api/batch.ts', ['BatchSource']),
    '## Results\n',
    'The descriptions name options as on the command line: `--dry-run` is `dryRun`.\n',
    typesOf('api/results.ts'),
    typesOf('api/result-parts.ts').trimEnd(),
    '',
  ].join('\n');
}

const ABORTED = 'If a signal aborts, the function rejects with the reason of the signal instead.';

function functionText(name: string): string[] {
  const overloads = named(`api/${name}.ts`, [name]);
  return [`## ${name}\n`, ...overloads.flatMap(overloadText)];
}

function overloadText({ text, comment }: Declaration): string[] {
  const { summary, parameters, returns, throws, examples } = comment;
  const item = (label: string, body: string) => (body === '' ? [] : [wrapped(`- ${label}: ${body}`, '  ')]);
  return [
    `${wrapped(summary.replace(/\s*\n\s*/g, ' '))}\n`,
    `${codeBlock(text)}\n`,
    ...parameters.flatMap((parameter) => item(code(parameter.name), oneLine(parameter.text))),
    ...item('Returns', oneLine(returns)),
    ...item('Throws', oneLine(throws)),
    ...examples.map((example) => `\n${example}`),
    '',
  ];
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function named(path: string, names: readonly string[]): Declaration[] {
  return declarationsIn(path, SOURCES).filter(({ name }) => names.includes(name));
}

/** The types of a module in code blocks, each with its comment as text. */
function typesOf(path: string, names?: readonly string[]): string {
  const types = declarationsIn(path, SOURCES).filter(({ name }) => names?.includes(name) ?? !FUNCTIONS.includes(name));
  return types
    .map(({ name, text, comment }) => {
      const about = comment.summary === '' ? '' : `${wrapped(oneLine(comment.summary))}\n\n`;
      return `### ${name}\n\n${about}${codeBlock(text)}\n`;
    })
    .join('\n');
}

function codeBlock(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}
