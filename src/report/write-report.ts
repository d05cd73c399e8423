import { type FileHandle, open, stat } from 'node:fs/promises';
import { UserError } from '../errors.js';
import { END, type Page, renderPage } from './page.js';
import { type ReportOptions, type RolloutsReport, reportRollouts } from './rollouts-report.js';
import { reportServer, type ServerReport } from './server-report.js';

export type Report =
  | ({ kind: 'rollouts' } & Omit<RolloutsReport, 'page'>)
  | ({ kind: 'server' } & Omit<ServerReport, 'page'>);

/**
 * Reads files of rollouts, or the folder of a server, and writes their page.
 * @param draft a new file for the page
 * @param scratch a new file for the conversations, which come last in the page but are read first
 */
export async function writeReport(
  inputs: readonly string[],
  draft: string,
  scratch: string,
  options: ReportOptions,
): Promise<Report> {
  const details = await open(scratch, 'wx+');
  try {
    const { page, ...report } = await read(inputs, details, options);
    const file = await open(draft, 'wx');
    try {
      await writePage(file, page, details);
    } finally {
      await file.close();
    }
    return report;
  } finally {
    await details.close();
  }
}

async function read(
  inputs: readonly string[],
  details: FileHandle,
  options: ReportOptions,
): Promise<Report & { page: Page }> {
  const folders = [];
  for (const input of inputs) if ((await stat(input)).isDirectory()) folders.push(input);
  const [folder] = folders;
  if (folder === undefined) return { kind: 'rollouts', ...(await reportRollouts(inputs, details, options)) };
  if (inputs.length === 1) return { kind: 'server', ...(await reportServer(folder, options)) };
  throw new UserError('a folder cannot be combined with other inputs', {
    where: folder,
    fix: 'pass one folder of a server, or only files of rollouts',
  });
}

async function writePage(file: FileHandle, page: Page, details: FileHandle): Promise<void> {
  await file.writeFile(await renderPage(page));
  for await (const chunk of details.createReadStream({ start: 0, autoClose: false })) await file.writeFile(chunk);
  await file.writeFile(END);
  await file.sync();
}
