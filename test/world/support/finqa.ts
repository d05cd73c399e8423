import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FINQA_ANSWER = '42';

/**
 * Data for finqa_env: one company, one table and one question. The environment's own data would have to be downloaded.
 * It shuffles its questions whatever the seed, so with two questions, an episode could ask another one than its row.
 */
export function finqaData(work: string): string {
  const folder = join(work, 'finqa-data');
  const tables = join(folder, 'input_companies');
  const table = [
    { item: 'Revenue', y2024: 100 },
    { item: 'Costs', y2024: 58 },
  ];
  mkdirSync(join(folder, 'benchmark_questions'), { recursive: true });
  mkdirSync(join(tables, 'acme'), { recursive: true });
  writeFileSync(
    join(folder, 'benchmark_questions/finqa.csv'),
    `id,user_query,company,question,answer,question_type,explanation\n1,What was left of 2024's revenue after costs?,acme,What was left?,\\boxed{${FINQA_ANSWER}},,\n`,
  );
  writeFileSync(join(tables, 'acme/income.json'), JSON.stringify(table));
  const described = { 'acme/income': { description: 'Income of 2024', table: JSON.stringify(table) } };
  writeFileSync(join(tables, 'tables_cleaned_all_companies.json'), JSON.stringify(described));
  return folder;
}
