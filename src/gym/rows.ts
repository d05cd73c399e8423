import type { Task } from '../discover/types.js';
import { EXAMPLE_ROWS, type Findings, row } from '../rules/index.js';
import { joinedLines, jsonLine } from './json-line.js';
import { namesOf } from './names.js';
import type { GymOptions } from './options.js';
import type { PromptPrints } from './prompt-prints.js';
import { rowId } from './task-id.js';
import type { ToolsetTexts } from './toolsets.js';

/**
 * A chunk is at least this long, in UTF-16 units. V8 keeps a text of more than 128 KiB apart from what dies young, so that
 * each one waits for a full collection: with chunks four times as long, a run needs 50 MB more.
 */
const CHUNK = 32 * 1024;

/** Writes rows: what every row shares is made once, and only what varies goes through JSON.stringify. */
export class RowWriter {
  private readonly agentRef: string;
  private last: { own: string | null | undefined; message: string } = { own: undefined, message: '' };

  constructor(
    private readonly options: GymOptions,
    private readonly toolsets: ToolsetTexts,
    private readonly findings: Findings,
  ) {
    const agent = namesOf(options.name).agent;
    this.agentRef = `"agent_ref":${JSON.stringify({ type: 'responses_api_agents', name: agent })}`;
  }

  /**
   * Chunks of whole lines. A task that a rule refuses has no row, only a finding, and the others are still looked at.
   * @param examples filled with the first rows, where it is given
   * @param prompts filled with what each row's prompts are known by, likewise
   */
  async *rows(tasks: AsyncIterable<Task[]>, examples?: string[], prompts?: PromptPrints): AsyncGenerator<string> {
    let chunk = '';
    for await (const page of tasks) {
      for (const task of page) {
        const tools = this.toolsets.of(task.toolset);
        const found = row(task);
        if (found.length > 0) {
          this.findings.add(...found);
          continue;
        }
        const line = this.line(task, tools, prompts);
        if (examples !== undefined && examples.length < EXAMPLE_ROWS) examples.push(line);
        chunk += line;
        if (chunk.length >= CHUNK) {
          yield chunk;
          chunk = '';
        }
      }
    }
    if (chunk !== '') yield chunk;
  }

  private line(
    { split, index, reset, id, prompt, systemPrompt }: Task,
    tools: string,
    prompts: PromptPrints | undefined,
  ): string {
    const { fullIds } = this.options;
    const input = `[${this.systemMessage(systemPrompt)}{"role":"user","content":${jsonLine(prompt)}}]`;
    prompts?.add(input);
    const played =
      reset === undefined ? `"split":${jsonLine(split)},"index":${index}` : `"reset":${joinedLines(reset)}`;
    const identity = `${played},"task_id":${jsonLine(rowId(id, fullIds))}`;
    return `{"responses_create_params":{"input":${input},"tools":${tools}},${this.agentRef},${identity}}\n`;
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
