import { ByteBuilder } from '../json/byte-builder.js';
import type { GymOptions, Task } from '../model.js';
import { EXAMPLE_ROWS, type Findings, row, rowErrors, taskName } from '../rules/index.js';
import type { PromptFingerprints } from './prompt-fingerprints.js';
import { RowEncoder } from './row-format.js';
import type { ToolsetTexts } from './toolsets.js';

/** Minimum size of a chunk, in bytes. */
const CHUNK = 256 * 1024;

/** A row of up to this many bytes is within the limits on its bytes and values. */
const LARGE = 2 ** 20;

/**
 * Writes the rows of splits, and checks each task. Rows with the same tools differ only in texts, an index and a reset, which
 * `row` checks. So the rules of `gymgen validate` judge one row of each list of tools, and large rows.
 */
export class RowWriter {
  private readonly encoder: RowEncoder;
  /** The tools of the rows that were checked. */
  private readonly judged = new Set<string>();

  constructor(
    options: GymOptions,
    private readonly toolsets: ToolsetTexts,
    private readonly findings: Findings,
  ) {
    this.encoder = new RowEncoder(options);
  }

  /**
   * A task that a rule rejects gets a finding instead of a row.
   * @param examples gets the first rows
   * @param fingerprints gets each row's prompts
   * @returns chunks of whole lines, each valid until the next is read
   */
  async *rows(
    tasks: AsyncIterable<Task[]>,
    examples?: string[],
    fingerprints?: PromptFingerprints,
  ): AsyncGenerator<Buffer> {
    const chunk = new ByteBuilder(Buffer.allocUnsafe(2 * CHUNK));
    for await (const page of tasks) {
      for (const task of page) {
        const tools = this.toolsets.json(task.toolset);
        const problems = row(task);
        if (problems.length > 0) {
          this.findings.add(problems);
          continue;
        }
        const start = chunk.length;
        this.encoder.append(chunk, task, tools, fingerprints);
        if (chunk.length - start > LARGE || !this.judged.has(tools)) {
          this.judged.add(tools);
          this.judge(task, chunk.since(start));
        }
        if (examples !== undefined && examples.length < EXAMPLE_ROWS) examples.push(chunk.since(start).toString());
        if (chunk.length >= CHUNK) yield chunk.take();
      }
    }
    if (chunk.length > 0) yield chunk.take();
  }

  private judge(task: Task, row: Buffer): void {
    const found = rowErrors(row.subarray(0, -1)); // without the line break
    this.findings.add(found.map((one) => ({ ...one, subject: `${one.subject} of ${taskName(task)}` })));
  }
}
