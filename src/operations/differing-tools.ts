import path from 'node:path';
import type { ToolsDiffer } from '../discover/index.js';
import { namesOf } from '../gym/index.js';
import { readLock } from '../output/index.js';
import { gymgenCommand } from '../printed-command.js';
import type { CheckReport } from './check-report.js';
import type { GenerateRequest } from './generate.js';

/**
 * The report of a folder whose tasks of one agent had the same tools when it was written, and no longer do. With its options
 * it cannot be generated again, but it differs for sure.
 * @returns undefined if gymgen did not write the folder
 */
export async function differingTools(
  { gymRoot, discover }: GenerateRequest,
  name: string,
  { message }: ToolsDiffer,
): Promise<CheckReport | undefined> {
  const folder = path.join(path.resolve(gymRoot), namesOf(name).folder);
  if (!(await readLock(folder))) return undefined;
  const entry = { path: 'toolsets.json', state: 'update' as const, note: message };
  const fix = `to write the folder again: ${gymgenCommand`<source> ${gymRoot} --name ${name} --probes all`}`;
  return {
    name,
    envName: '',
    folder,
    changed: true,
    plan: { entries: [entry], rows: {} },
    lock: '',
    differences: [{ ...entry, diff: [fix] }],
    keptFiles: [],
    unlisted: [],
    former: [],
    rows: discover.splits.map((split) => ({ split, rows: 0 })),
    toolsets: [],
    sample: { probed: 0, tasks: 0 },
    kept: {},
    keptPrompts: 0,
    row: null,
    notes: [],
    warnings: [],
    counts: { sessions: 0, requests: 0, bytes: 0 },
  };
}
