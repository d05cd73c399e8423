import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Message, type Script, ServedSession } from './served-session.js';
import { day, type ServedTask, type ServedTool, TOOLS, taskApi } from './served-tasks.js';

/** An HTTP request as it was received. */
export interface Asked {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: unknown;
}

/** A body that is not a string or Buffer is sent as JSON. */
export type Answer =
  | { status?: number; headers?: http.OutgoingHttpHeaders; body?: unknown }
  | ((response: http.ServerResponse) => void);

export interface StandInOptions {
  name?: string;
  splits?: Record<string, ServedTask[]>;
  /** The tools of each turn of a task. */
  turns?: (task: ServedTask) => ServedTool[][];
  maxSessions?: number;
  /** Number of handshakes that are answered with 503 and Retry-After: 0, before any other. */
  busyHandshakes?: number;
  /** Responds instead of the Task API, unless it returns `undefined`. */
  http?: (asked: Asked, standIn: StandIn) => Answer | undefined | Promise<Answer | undefined>;
  /** Responds instead of the episode, unless it returns `undefined`. */
  ws?: Script;
  /** The base path of all routes. */
  base?: string;
  tls?: { key: string; cert: string };
  /** An IPv6 server listens on ::1. */
  host?: string;
  /** Whether the client may leave connections open, for tests that stop the client half-way. */
  mayLeak?: boolean;
}

/**
 * A fake OpenEnv server with the protocol of openenv 0.10.0, and with faults on demand. It ends with the test. The test
 * fails if the client has not closed all connections by then.
 */
export class StandIn {
  readonly asked: Asked[] = [];
  readonly sessions: ServedSession[] = [];
  readonly handshakes: http.IncomingHttpHeaders[] = [];
  /** The maximum number of sessions that were open at a time. */
  peak = 0;
  readonly name: string;
  port = 0;
  /** May be changed while the server runs. */
  splits: Record<string, ServedTask[]>;
  private readonly connections = new Set<Socket>();

  private constructor(
    private readonly server: http.Server,
    readonly options: StandInOptions,
  ) {
    this.name = options.name ?? 'grid-v1';
    this.splits = options.splits ?? { train: [day(0), day(1), day(2)] };
    server.on('request', (request, response) => this.answer(request, response));
    server.on('connection', (socket) => {
      this.connections.add(socket);
      socket.on('close', () => this.connections.delete(socket));
      socket.on('error', () => {}); // clients may disconnect at any time
    });
    let busy = options.busyHandshakes ?? 0;
    const sockets = new WebSocketServer({
      server,
      path: `${options.base ?? ''}/ws`,
      verifyClient: (_, answer) => (busy-- > 0 ? answer(false, 503, 'busy', { 'Retry-After': '0' }) : answer(true)),
    });
    sockets.on('connection', (socket, request) => this.open(socket, request));
    sockets.on('wsClientError', (_, socket) => socket.destroy());
  }

  static async start(options: StandInOptions = {}): Promise<StandIn> {
    const server = options.tls ? https.createServer(options.tls) : http.createServer();
    const standIn = new StandIn(server, options);
    await new Promise<void>((resolve) => server.listen(0, options.host ?? '127.0.0.1', resolve));
    standIn.port = (server.address() as AddressInfo).port;
    onTestFinished(() => standIn.stop());
    return standIn;
  }

  get host(): string {
    const { host = '127.0.0.1' } = this.options;
    return `${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  get url(): string {
    return `${this.options.tls ? 'https' : 'http'}://${this.host}${this.options.base ?? ''}`;
  }

  get openSessions(): number {
    return this.sessions.filter((session) => session.isOpen).length;
  }

  /** The tasks of all resets, in the order of the requests: `train[0]`. */
  get resets(): string[] {
    return this.sessions.flatMap((session) => session.resets);
  }

  /** From now on, no WebSocket opens: the handshake gets this HTTP response. */
  refuseUpgrades(status: number, headers: Record<string, string> = {}): void {
    this.server.removeAllListeners('upgrade').on('upgrade', (_, socket) => {
      const lines = Object.entries({ ...headers, 'Content-Length': '0', Connection: 'close' });
      socket.end(`HTTP/1.1 ${status} No\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
    });
  }

  /** Waits until no connection is left. @throws if the client leaves one open */
  async idle(): Promise<void> {
    await vi.waitFor(() => expect(this.connections.size, 'connections that the client left open').toBe(0), {
      timeout: 4000,
      interval: 5,
    });
  }

  async stop(): Promise<void> {
    try {
      if (!this.options.mayLeak) await this.idle();
    } finally {
      for (const socket of this.connections) socket.destroy();
      await new Promise((resolve) => this.server.close(resolve));
    }
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '');
    const path = (request.url ?? '').slice((this.options.base ?? '').length);
    const { method = '', headers } = request;
    const asked: Asked = { method, path, headers, body: body === '' ? undefined : JSON.parse(body) };
    this.asked.push(asked);
    const answer = (await this.options.http?.(asked, this)) ?? taskApi(this, asked);
    if (typeof answer === 'function') return answer(response);
    const raw = typeof answer.body === 'string' || Buffer.isBuffer(answer.body);
    response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(raw ? answer.body : JSON.stringify(answer.body ?? null));
  }

  private open(socket: WebSocket, request: http.IncomingMessage): void {
    this.handshakes.push(request.headers);
    const max = this.options.maxSessions ?? 100;
    const active = this.openSessions;
    if (active >= max) {
      const message = `Server at capacity: ${active}/${max} sessions active. Cannot accept new connections.`;
      const data = { message, code: 'CAPACITY_REACHED', active_sessions: active, max_sessions: max };
      socket.send(JSON.stringify({ type: 'error', data }));
      socket.close(1000);
      return;
    }
    const turns = this.options.turns ?? (() => [TOOLS]);
    const find = (split: string, index: number) => this.splits[split]?.[index];
    this.sessions.push(new ServedSession(socket, this.sessions.length, { find, turns, script: this.options.ws }));
    this.peak = Math.max(this.peak, this.openSessions);
  }
}

export type { Message };
