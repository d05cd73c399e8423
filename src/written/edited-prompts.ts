import path from 'node:path';
import { UserError } from '../errors.js';
import { readNoFollow } from '../files.js';
import { PromptFingerprints } from '../gym/index.js';
import { hasTooManyValues } from '../json/bounds.js';
import { LIMITS } from '../limits.js';
import type { OutputFile, RowsFile } from '../model.js';
import { hashFile, type Lock, lockedPrompts } from '../output/index.js';
import { MergedRows } from './merged-rows.js';

/** Upper bound on the lost prompts that an error names. */
const NAMED = 5;

/** Puts edited prompts back into generated rows. */
export class EditedPrompts {
  private readonly merged = new Map<string, MergedRows>();

  /**
   * @param lock of the folder, if it has one; it names the files whose prompts are always kept
   * @param adopt whether newly edited prompts are kept, too
   */
  constructor(
    private readonly folder: string,
    private readonly lock: Lock | undefined,
    private readonly adopt: boolean,
  ) {}

  async *restore(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    for await (const file of files) yield 'rows' in file && (await this.isEdited(file)) ? await this.merge(file) : file;
  }

  /** Number of rows with edited prompts. */
  get count(): number {
    return [...this.merged.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** @throws UserError if prompts would be lost, because their tasks are gone or moved */
  assertNoneLost(): void {
    const lost = [...this.merged.values()].flatMap((rows) => rows.lost);
    if (lost.length === 0) return;
    const more = lost.length > NAMED ? [`and ${lost.length - NAMED} more`] : [];
    throw new UserError('edited prompts no longer match a task; nothing was written', {
      code: 'edited',
      where: this.folder,
      details: [...lost.slice(0, NAMED), ...more],
      fix: 'save a copy of them, then discard them with --force',
    });
  }

  private async isEdited({ path: file }: RowsFile): Promise<boolean> {
    if (lockedPrompts(this.lock, file) === undefined) return false;
    const hash = await hashFile(path.join(this.folder, file)).catch(() => undefined);
    if (hash === undefined) return false;
    return (this.lock?.keptPrompts?.includes(file) ?? false) || (this.adopt && hash !== this.lock?.files[file]);
  }

  private async merge(file: RowsFile): Promise<RowsFile> {
    const fingerprint = PromptFingerprints.parse(lockedPrompts(this.lock, file.path) ?? '');
    const merged = new MergedRows({
      path: path.join(this.folder, file.path),
      fingerprint,
      tools: await this.writtenTools(),
    });
    this.merged.set(file.path, merged);
    return { ...file, rows: merged.merge(file.rows), kept: merged };
  }

  /** The toolsets of the existing rows, from `toolsets.json`; empty if that file was edited. */
  private async writtenTools(): Promise<ReadonlySet<string>> {
    const file = path.join(this.folder, 'toolsets.json');
    try {
      if ((await hashFile(file)) !== this.lock?.files['toolsets.json']) return new Set();
      const bytes = await readNoFollow(file, LIMITS.responseBytes);
      if (hasTooManyValues(bytes)) return new Set();
      const { toolsets } = JSON.parse(String(bytes)) as { toolsets: { tools: unknown }[] };
      return new Set(toolsets.map(({ tools }) => JSON.stringify(tools)));
    } catch {
      return new Set();
    }
  }
}
