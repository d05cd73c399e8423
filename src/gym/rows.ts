import { ByteBuilder } from '../byte-builder.js';
import type { Task } from '../discover/types.js';
import { JsonString } from '../json-string.js';
import { EXAMPLE_ROWS, type Findings, row } from '../rules/index.js';
import { joinedLines, jsonLine } from './json-line.js';
import { namesOf } from './names.js';
import type { GymOptions } from './options.js';
import type { PromptPrints } from './prompt-prints.js';
import { rowId } from './task-id.js';
import type { ToolsetTexts } from './toolsets.js';

/**
 * Bytes from which on a chunk is handed on: large enough for few writes. Whoever reads one as a text wants that to die young,
 * which one of more than 128 KiB doesn't in V8.
 */
const CHUNK = 32 * 1024;

/**
 * Writes rows: what every row shares is made once, only what varies goes through JSON.stringify, and a prompt that was kept as
 * it came does not even do that.
 */
export class RowWriter {
  private readonly agentRef: string;
  private last: { own: string | null | undefined; message: string } = { own: undefined, message: '' };
  private lastTools = { tools: '', text: '' };

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
          this.findings.add(...found);
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

  private line(
    chunk: ByteBuilder,
    { split, index, reset, id, prompt, systemPrompt }: Task,
    tools: string,
    prompts: PromptPrints | undefined,
  ): void {
    const { fullIds } = this.options;
    chunk.text('{"responses_create_params":{"input":');
    const input = chunk.length;
    chunk.text(`[${this.systemMessage(systemPrompt)}{"role":"user","content":`);
    if (prompt instanceof JsonString) chunk.bytes(prompt.data, prompt.start, prompt.end);
    else chunk.text(jsonLine(prompt));
    chunk.text('}]');
    prompts?.add(chunk.since(input));
    const played =
      reset === undefined ? `"split":${jsonLine(split)},"index":${index}` : `"reset":${joinedLines(reset)}`;
    const identity = `${played},"task_id":${jsonLine(rowId(id, fullIds))}`;
    chunk.text(this.behindInput(tools));
    chunk.text(`${identity}}\n`);
  }

  /** What stands between a row's messages and its identity. Mostly the task before had the same. */
  private behindInput(tools: string): string {
    if (tools !== this.lastTools.tools) this.lastTools = { tools, text: `,"tools":${tools}},${this.agentRef},` };
    return this.lastTools.text;
  }

  /** With the comma before the next message, or nothing. Mostly the task before had the same. */
  private systemMessage(own: string | null): string {
    if (own === this.last.own) return this.last.message;
    const { appendSystemPrompt: added } = this.options;
    const prompt = [own, added].filter((part) => part).join('\n\n');
    const message = prompt === '' ? '' : `{"role":"system","content":${jsonLine(prompt)}},`;
    this.last = { own, message };
    return message;
  }
}
