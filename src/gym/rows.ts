import { ByteBuilder } from '../json/byte-builder.js';
import { JsonString } from '../json/json-string.js';
import type { GymOptions, Task } from '../model.js';
import { EXAMPLE_ROWS, type Findings, row } from '../rules/index.js';
import { joinedLines, jsonLine } from './json-line.js';
import { namesOf } from './names.js';
import type { PromptPrints } from './prompt-prints.js';
import { rowId } from './task-id.js';
import type { ToolsetTexts } from './toolsets.js';

/**
 * Bytes from which on a chunk is handed on: large enough for few writes. Whoever reads one as a text wants that to die young,
 * which one of more than 128 KiB doesn't in V8.
 */
const CHUNK = 96 * 1024;
const HEAD = '{"responses_create_params":{"input":';

const NOTHING = Buffer.alloc(0);

/**
 * Writes rows: what every row shares is made once, only what varies goes through JSON.stringify, and a prompt that was kept as
 * it came does not even do that.
 */
export class RowWriter {
  private readonly agentRef: string;
  private head: { systemPrompt: string | null | undefined; bytes: Buffer } = {
    systemPrompt: undefined,
    bytes: NOTHING,
  };
  private tail: { tools: string; split: string | undefined; bytes: Buffer } = { tools: '', split: '', bytes: NOTHING };

  constructor(
    private readonly options: GymOptions,
    private readonly toolsets: ToolsetTexts,
    private readonly findings: Findings,
  ) {
    const agent = namesOf(options.name).agent;
    this.agentRef = `"agent_ref":${JSON.stringify({ type: 'responses_api_agents', name: agent })}`;
  }

  /**
   * Chunks of whole lines, each good until the next is asked for. A task that a rule refuses has no row, only a finding, and the others are still looked at.
   * @param examples filled with the first rows, where it is given
   * @param prompts filled with what each row's prompts are known by, likewise
   */
  async *rows(tasks: AsyncIterable<Task[]>, examples?: string[], prompts?: PromptPrints): AsyncGenerator<Buffer> {
    const chunk = new ByteBuilder(Buffer.allocUnsafe(2 * CHUNK));
    for await (const page of tasks) {
      for (const task of page) {
        const tools = this.toolsets.of(task.toolset);
        const found = row(task);
        if (found.length > 0) {
          this.findings.add(found);
          continue;
        }
        const start = chunk.length;
        this.line(chunk, task, tools, prompts);
        if (examples !== undefined && examples.length < EXAMPLE_ROWS) examples.push(chunk.since(start).toString());
        if (chunk.length >= CHUNK) yield chunk.take();
      }
    }
    if (chunk.length > 0) yield chunk.take();
  }

  private line(chunk: ByteBuilder, task: Task, tools: string, prompts: PromptPrints | undefined): void {
    const { split, index, reset, id, prompt, systemPrompt } = task;
    const start = chunk.length;
    chunk.add(this.beforePrompt(systemPrompt));
    if (prompt instanceof JsonString) chunk.add(prompt.data, prompt.start, prompt.end);
    else chunk.text(jsonLine(prompt));
    chunk.text('}]');
    prompts?.add(chunk.since(start + HEAD.length));
    chunk.add(this.behindPrompt(tools, reset === undefined ? split : undefined));
    const played = reset === undefined ? `${index}` : `"reset":${joinedLines(reset)}`;
    chunk.text(`${played},"task_id":${jsonLine(rowId(id, this.options.fullIds))}}\n`);
  }

  /** A row up to its prompt. Mostly the task before had the same, as below. */
  private beforePrompt(own: string | null): Buffer {
    if (own !== this.head.systemPrompt) {
      const { appendSystemPrompt: added } = this.options;
      const prompt = [own, added].filter((part) => part).join('\n\n');
      const message = prompt === '' ? '' : `{"role":"system","content":${jsonLine(prompt)}},`;
      this.head = { systemPrompt: own, bytes: Buffer.from(`${HEAD}[${message}{"role":"user","content":`) };
    }
    return this.head.bytes;
  }

  /** What stands between a row's messages and its index in its split, or its reset. */
  private behindPrompt(tools: string, split: string | undefined): Buffer {
    if (tools !== this.tail.tools || split !== this.tail.split) {
      const played = split === undefined ? '' : `"split":${jsonLine(split)},"index":`;
      this.tail = { tools, split, bytes: Buffer.from(`,"tools":${tools}},${this.agentRef},${played}`) };
    }
    return this.tail.bytes;
  }
}
