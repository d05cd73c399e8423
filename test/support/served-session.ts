import { WebSocket } from 'ws';
import type { ServedTask, ServedTool } from './served-tasks.js';

/** A request of the client, parsed. */
export interface Message {
  type: 'reset' | 'step' | 'state' | 'close';
  data: { split?: string; index?: number; type?: string; tool_name?: string; arguments?: Record<string, unknown> };
}

/**
 * Responds to one request of a session: with the text of a frame, or with a value that is sent as JSON. `null` means no
 * response, and `undefined` the response of the episode. A promise delays the response.
 */
export type Script = (message: Message, session: ServedSession) => unknown;

interface Episodes {
  find: (split: string, index: number) => ServedTask | undefined;
  turns: (task: ServedTask) => ServedTool[][];
  script: Script | undefined;
}

export function observation(observed: object, rest: object = {}): object {
  return { type: 'observation', data: { observation: observed, reward: null, done: false, ...rest } };
}

/** A failed episode, which is reported in an ordinary observation. */
export function failed(error: string, observed: object = {}): object {
  const metadata = { status: 'error', error, task: null };
  return observation({ metadata, ...observed }, { done: true, metadata });
}

/** A response to list_tools whose tools keep the spelling of their JSON. */
export function toolsFrame(tools: readonly ServedTool[]): string {
  const texts = tools.map((tool) => (typeof tool === 'string' ? tool : JSON.stringify(tool)));
  return `{"type":"observation","data":{"observation":{"metadata":{},"tools":[${texts.join(',')}]},"reward":null,"done":false}}`;
}

/** One WebSocket of the fake server, with its episode. */
export class ServedSession {
  readonly received: Message[] = [];
  readonly resets: string[] = [];
  private turns: ServedTool[][] = [];
  private turn = 0;

  constructor(
    readonly socket: WebSocket,
    /** Number of sessions that were opened before. */
    readonly number: number,
    private readonly episodes: Episodes,
  ) {
    socket.on('message', (data) => this.receive(JSON.parse(data.toString())));
    socket.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN || this.socket.readyState === WebSocket.CLOSING;
  }

  /** Tools that were called, in order. */
  get calls(): string[] {
    return this.received.flatMap(({ data }) => (data?.type === 'call_tool' ? [data.tool_name ?? ''] : []));
  }

  send(frame: unknown): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  private async receive(message: Message): Promise<void> {
    this.received.push(message);
    const { type, data } = message;
    if (type === 'reset') this.resets.push(`${data.split}[${data.index}]`);
    if (type === 'close') return this.socket.close(1000);
    const scripted = await this.episodes.script?.(message, this);
    const answer = scripted === undefined ? this.usual(message) : scripted;
    if (answer !== null) this.send(answer);
  }

  /** The response of the episode, if no script responds. */
  usual({ type, data }: Message): unknown {
    if (type === 'reset') return this.reset(data.split ?? '', data.index ?? 0);
    if (data.type === 'list_tools') return toolsFrame(this.turns[this.turn] ?? []);
    if (data.tool_name !== 'end_turn') return observation({ tool_name: data.tool_name, result: 'ok', error: null });
    this.turn += 1;
    if (this.turn < this.turns.length) {
      return observation({ tool_name: 'end_turn', result: { prompt: 'Go on.', system_prompt: null }, error: null });
    }
    return observation({ tool_name: 'end_turn', result: null, error: null }, { reward: 0, done: true });
  }

  private reset(split: string, index: number): unknown {
    const task = this.episodes.find(split, index);
    if (!task) return failed(`split '${split}' has no task ${index}`);
    this.turns = this.episodes.turns(task);
    this.turn = 0;
    const metadata = { prompt: task.prompt, system_prompt: null, task: { id: task.id, split, index } };
    return observation({ metadata }, { metadata });
  }
}
