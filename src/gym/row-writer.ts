import { ByteBuilder } from '../json/byte-builder.js';
import type { GymOptions, Task } from '../model.js';
import { EXAMPLE_ROWS, type Findings, row } from '../rules/index.js';
import type { PromptFingerprints } from './prompt-fingerprints.js';
import { RowEncoder } from './row-format.js';
import type { ToolsetTexts } from './toolsets.js';

/** Minimum size of a chunk, in bytes. */
const CHUNK = 256 * 1024;

/** Writes the rows of splits, and checks each task. */
export class RowWriter {
  private readonly encoder: RowEncoder;

  constructor(
    options: GymOptions,
    private readonly toolsets: ToolsetTexts,
    private readonly findings: Findings,
  ) {
    this.encoder = new RowEncoder(options);
  }

  /**
   * A task that a rule refuses gets a finding instead of a row.
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
        if (examples !== undefined && examples.length < EXAMPLE_ROWS) examples.push(chunk.since(start).toString());
        if (chunk.length >= CHUNK) yield chunk.take();
      }
    }
    if (chunk.length > 0) yield chunk.take();
  }
}
