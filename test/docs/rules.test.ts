import { expect, test } from 'vitest';
import { RULE_GROUPS, type RuleText, WHEN } from '../../src/rules/index.js';
import { code, expectPage, wrapped } from './markdown.js';

test('docs/rules.md is generated from the rules', () => {
  expectPage('rules.md', page());
});

test('each rule has a code of its own', () => {
  const codes = RULE_GROUPS.flatMap(([, rules]) => rules).map((rule) => rule.code);
  expect(codes.filter((one, at) => codes.indexOf(one) !== at)).toEqual([]);
});

const INTRO = `\
# Rules of gymgen validate

<!-- Generated from src/rules/platform/. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run test/docs -->

\`\`\`
gymgen validate gym-root                        # what NeMo Gym would reject
gymgen validate out/environment out/dataset     # what a job on NeMo Platform would reject
\`\`\`

Each finding has the code of its rule. The exit code is 1 if there are errors or, with \`--strict\`, warnings. Each rule
says what it requires, why, and when you would find the problem otherwise:
`;

const NEVER = 'not at all: the problem does no harm here, or stays unnoticed';

function page(): string {
  const moments = Object.entries({ ...WHEN, never: NEVER }).map(([when, text]) => `- ${code(when)}: ${text}`);
  return [
    INTRO,
    ...moments,
    ...RULE_GROUPS.flatMap(([heading, rules]) => ['', `## ${heading}`, '', ...rules.map(item)]),
    '',
  ].join('\n');
}

function item({ code: name, severity, rule, why, when }: RuleText): string {
  return wrapped(`- ${code(name)} (${severity}, ${when}): ${sentence(rule)} ${why}`, '  ');
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
