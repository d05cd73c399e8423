import path from 'node:path';
import { UserError } from '../errors.js';
import { readNoFollow } from '../files.js';
import { PromptPrints } from '../gym/index.js';
import { hasTooManyValues } from '../json/bounds.js';
import { LIMITS } from '../limits.js';
import { hashFile, type Lock, type OutputFile, type RowsFile } from '../output/index.js';
import { MergedRows } from './merged-rows.js';

/** Names that are told. */
const TOLD = 5;

/** Puts the user's own prompts into the rows that are generated: those that the lock file says are kept, and, where asked, newly edited ones. */
export class PromptKeeper {
  private readonly merged = new Map<string, MergedRows>();

  /**
   * @param lock of the folder, if it has one
   * @param adopt whether prompts that were edited since are kept, too
   */
  constructor(
    private readonly folder: string,
    private readonly lock: Lock | undefined,
    private readonly adopt: boolean,
  ) {}

  async *of(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    for await (const file of files) yield 'rows' in file && (await this.isEdited(file)) ? await this.merge(file) : file;
  }

  /** How many rows have prompts of the user's. */
  get count(): number {
    return [...this.merged.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** @throws UserError where prompts would be lost, since their tasks are gone or at another place */
  assertNoneLost(): void {
    const lost = [...this.merged.values()].flatMap((rows) => rows.lost);
    if (lost.length === 0) return;
    const more = lost.length > TOLD ? [`and ${lost.length - TOLD} more`] : [];
    throw new UserError('prompts that were edited by hand have no task at their place any more; nothing was written', {
      where: this.folder,
      details: [...lost.slice(0, TOLD), ...more],
      fix: 'keep a copy of them, and drop them with --force',
    });
  }

  private async isEdited({ path: file }: RowsFile): Promise<boolean> {
    if (this.lock?.prompts?.[file] === undefined) return false;
    const hash = await hashFile(path.join(this.folder, file)).catch(() => undefined);
    if (hash === undefined) return false;
    return (this.lock.keptPrompts?.includes(file) ?? false) || (this.adopt && hash !== this.lock.files[file]);
  }

  private async merge(file: RowsFile): Promise<RowsFile> {
    const print = PromptPrints.parse(this.lock?.prompts?.[file.path] ?? '');
    const merged = new MergedRows({ path: path.join(this.folder, file.path), print, tools: await this.tools() });
    this.merged.set(file.path, merged);
    return { ...file, rows: merged.rows(file.rows), kept: merged };
  }

  /** The tools that rows had when they were written, from the file beside them, as far as that is as it was. */
  private async tools(): Promise<ReadonlySet<string>> {
    const file = path.join(this.folder, 'toolsets.json');
    try {
      if ((await hashFile(file)) !== this.lock?.files['toolsets.json']) return new Set();
      const bytes = await readNoFollow(file, LIMITS.answerBytes);
      if (hasTooManyValues(bytes)) return new Set();
      const { toolsets } = JSON.parse(String(bytes)) as {
        toolsets: { tools: unknown }[];
      };
      return new Set(toolsets.map(({ tools }) => JSON.stringify(tools)));
    } catch {
      return new Set();
    }
  }
}
