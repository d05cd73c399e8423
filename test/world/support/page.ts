import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../e2e/support/toolchain.js';

const PAGE = join(REPOSITORY, 'docs/environments.md');

export type Tables = Record<string, { columns: string[]; rows: string[][] }>;

/**
 * The tables that docs/environments.md has, each between `<!-- NAME: made by test/world -->` and `<!-- NAME ends -->`, and
 * those that were made. With GYMGEN_WRITE_DOCS=1, they are put there first.
 */
export function page(tables: Tables): { documented: string[]; made: string[] } {
  let text = readFileSync(PAGE, 'utf8');
  const made = Object.entries(tables).map(([name, table]) => ({ between: between(name), text: markdown(table) }));
  if (process.env.GYMGEN_WRITE_DOCS) {
    for (const each of made) text = text.replace(each.between, (_, begin, __, end) => `${begin}${each.text}${end}`);
    writeFileSync(PAGE, text);
  }
  return { documented: made.map((each) => each.between.exec(text)?.[2] ?? ''), made: made.map((each) => each.text) };
}

function between(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: made by test/world -->\n)([^]*?)(<!-- ${name} ends -->)`);
}

function markdown({ columns, rows }: Tables[string]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('');
}

/** The rewards of some rollouts, each with how often it was given. */
export function counted(rewards: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const reward of rewards) {
    const rounded = Number(reward.toFixed(4));
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const byReward = [...counts].sort(([a], [b]) => b - a);
  return byReward.map(([reward, count]) => `${String(reward).replace('-', '−')} (${count})`).join(', ');
}

/** An argument as a shell takes it. */
export function quoted(argument: string): string {
  return /^[\w./:-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
