import type { WebSocket } from 'ws';
import { ZodError } from 'zod';
import type { UserError } from '../errors.js';
import { exceededLimit } from '../json/bounds.js';
import { firstIssue } from '../json/guards.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, limitMessage, overLimit } from '../limits.js';
import type { JsonText } from '../model.js';
import type { OnRequest } from '../reporter.js';
import { connectionFailure, excerpt, handshakeFailure, ServerFull } from './failures.js';
import {
  errorText,
  Frame,
  failureOf,
  isNotice,
  type ListedTool,
  listedTools,
  type Observation,
  RefusedError,
  SessionLost,
} from './messages.js';
import { onProxyRefusal, proxyAgent, proxyFor } from './proxy.js';
import { reportRequest } from './report-request.js';
import type { ServerUrl } from './url.js';

export interface SessionOptions {
  /** Sent with the handshake. */
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Upper bound on the bytes of one frame (default: `LIMITS.responseBytes`). */
  maxFrame?: number;
  /** Seconds for the handshake (default: `LIMITS.handshakeSeconds`). */
  handshakeTimeout?: number;
  /** Called after each reset and step. */
  sent?: OnRequest | undefined;
}

/** An observation, with its frame as text, because JSON.parse changes numbers. */
export type Answer = Observation & { frame: string };

type Waiter = { resolve: (text: string) => void; reject: (error: unknown) => void };

const CLOSE_MS = 2000;
/** Shorter after an interruption, which must end gymgen within a second. */
const ABORTED_CLOSE_MS = 300;
/** The longest time that a timer supports: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Loaded on first use, or by `prepareSessions`. */
const client = () => import('ws');

/** Loads the WebSocket client, which takes a while. Call it before waiting for a server anyway. */
export function prepareSessions(): void {
  client().catch(() => {}); // reported by `Session.open`
}

/**
 * One WebSocket. Each has a session and an environment of its own (openenv 0.10.0). Requests have no ids and are
 * answered in order. So only one request runs at a time, and the session is lost if a request misses its time limit.
 */
export class Session {
  /** An unsolicited frame before the first request, such as a notice that the server is full. */
  private notice: string | null = null;
  private waiter: Waiter | null = null;
  private ended: UserError | null = null;
  private unexpected: UserError | null = null;
  /** The request that was answered last. */
  private answered: 'reset' | 'step' | null = null;
  private asking: 'reset' | 'step' = 'reset';
  private closing = false;

  private constructor(
    private readonly socket: WebSocket,
    private readonly url: string,
    private readonly signal: AbortSignal,
    maxFrame: number,
    private readonly sent: OnRequest | undefined,
  ) {
    // Listen from the start: a full server sends an unsolicited frame, perhaps before the `open` event.
    socket.on('message', (data, isBinary) => {
      if (isBinary)
        this.end(new SessionLost('the server sent a binary frame, which OpenEnv does not use', { where: url }));
      else this.onFrame(data as Buffer);
    });
    socket.on('close', (code, reason) => {
      const why = excerpt(reason.toString());
      this.end(new SessionLost(`the server closed the session (${code}${why && `: ${why}`})`, { where: url }));
    });
    socket.on('error', (error) => {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
      const what = isTooLarge ? limitMessage('responseBytes', maxFrame) : connectionFailure(`WS ${url}`, error).message;
      this.end(new SessionLost(what, { where: url, cause: error }));
    });
  }

  /** @throws UserError if no session can be opened; the signal's reason if it aborts */
  static async open(
    server: ServerUrl,
    {
      headers,
      signal,
      maxFrame = LIMITS.responseBytes,
      handshakeTimeout = LIMITS.handshakeSeconds,
      sent,
    }: SessionOptions,
  ): Promise<Session> {
    const requestLine = `WS ${server.ws}`;
    const proxy = proxyFor(server.ws);
    const [{ WebSocket }, agent] = await Promise.all([
      client(),
      proxy ? proxyAgent(proxy, true, { signal }) : undefined,
    ]);
    signal.throwIfAborted();
    let refuse = (_: UserError) => {};
    const socket = new WebSocket(server.ws, {
      ...(proxy && {
        agent,
        finishRequest: (request) => {
          onProxyRefusal(request, proxy, requestLine, (error) => refuse(error));
          request.end();
        },
      }),
      headers: { ...server.headers, ...headers },
      maxPayload: maxFrame,
      perMessageDeflate: false,
    });
    const session = new Session(socket, server.ws, signal, maxFrame, sent);
    const abort = () => socket.terminate();
    let timer: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', abort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        refuse = reject;
        socket.once('open', resolve);
        socket.once('unexpected-response', (_, response) => reject(handshakeFailure(server.ws, response)));
        socket.once('error', (error) => reject(connectionFailure(requestLine, error, proxy)));
        // The client's own handshake timeout starts again with each byte.
        timer = setTimeout(
          () => reject(overLimit('handshakeSeconds', { where: requestLine, limit: handshakeTimeout })),
          handshakeTimeout * 1000,
        );
      });
      return session;
    } catch (error) {
      socket.terminate();
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Starts an episode.
   * @param args keyword arguments of the reset, a JSON object
   * @param seconds time limit of this request
   * @throws ServerFull, RefusedError or SessionLost; the signal's reason if it aborts
   */
  async reset(args: JsonText, seconds: number): Promise<Answer> {
    return this.sendTyped('reset', args, seconds);
  }

  async callTool(name: string, args: JsonText, seconds: number): Promise<Answer> {
    return this.step(`{"type":"call_tool","tool_name":${JSON.stringify(name)},"arguments":${args}}`, seconds);
  }

  /** Takes the one action of an environment without tools. */
  async step(action: JsonText, seconds: number): Promise<Answer> {
    return this.sendTyped('step', action, seconds);
  }

  /** The tools of the current turn, in the server's order; empty if the episode failed. */
  async listTools(seconds: number): Promise<Observation & { tools: ListedTool[] }> {
    const observation = await this.step('{"type":"list_tools"}', seconds);
    if (failureOf(observation) !== null) return { ...observation, tools: [] };
    try {
      return { ...observation, tools: listedTools(observation.frame, 'data', 'observation', 'tools') };
    } catch (cause) {
      if (!(cause instanceof ZodError)) throw cause;
      throw new SessionLost(`cannot read the server's list of tools: ${firstIssue(cause)}`, {
        where: this.url,
        cause,
      });
    }
  }

  /** Ends the session, so that the server frees its slot. Never throws. Takes up to two seconds. */
  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    this.closing = true;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    if (this.waiter === null && this.socket.readyState === this.socket.OPEN) {
      this.socket.send('{"type":"close"}', () => {});
    }
    this.socket.close();
    const timer = setTimeout(() => this.socket.terminate(), this.signal.aborted ? ABORTED_CLOSE_MS : CLOSE_MS);
    await closed;
    clearTimeout(timer);
  }

  /**
   * @throws SessionLost if the server sent an unexpected frame: other responses may then belong to the wrong requests
   */
  assertInOrder(): void {
    if (this.unexpected) throw this.unexpected;
  }

  private async sendTyped(type: 'reset' | 'step', data: JsonText, seconds: number): Promise<Answer> {
    const isFirst = this.answered === null;
    this.asking = type;
    const answered = this.send(`{"type":"${type}","data":${data}}`, seconds);
    const frame = await reportRequest(`WS ${this.url} ${type}`, answered, this.sent, (text) => ({
      bytes: Buffer.byteLength(text),
    }));
    return { ...observationOf(frame, this.url, isFirst), frame };
  }

  private async send(message: string, seconds: number): Promise<string> {
    this.signal.throwIfAborted();
    let timer: NodeJS.Timeout | undefined;
    const abort = () => this.end(this.signal.reason);
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        this.waiter = { resolve, reject };
        const { notice } = this;
        if (notice !== null) this.onText(notice);
        else if (this.ended) this.end(this.ended);
        else this.socket.send(message, () => {});
        timer = setTimeout(
          () => this.end(new SessionLost(`no response within ${Number(seconds.toFixed(2))} s`, { where: this.url })),
          Math.min(seconds * 1000, LONGEST_MS),
        );
      });
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', abort);
    }
  }

  private onFrame(frame: Buffer): void {
    const exceeded = exceededLimit(frame);
    if (exceeded === undefined) this.onText(withoutMark(frame).toString());
    else this.end(new SessionLost(limitMessage(exceeded), { where: this.url }));
  }

  private onText(text: string): void {
    const waiter = this.waiter;
    this.waiter = null;
    if (waiter) {
      this.answered = this.asking;
      waiter.resolve(text);
    } else if (this.ended) {
      // The late response to a request that timed out.
    } else if (this.answered === null && isNotice(text)) this.notice ??= text;
    else if (!this.closing || !isNotice(text)) this.failUnexpected(text);
  }

  /** Ends the session after an unexpected frame, which would be mistaken for the response to the next request. */
  private failUnexpected(text: string): void {
    const what =
      this.answered === 'reset' ? 'the server answered the reset twice' : 'the server sent an unexpected frame';
    this.unexpected = new SessionLost(`${what}: ${excerpt(text)}`, {
      where: this.url,
      fix: 'correct the server: it must answer each request once and send nothing else',
    });
    this.end(this.unexpected);
  }

  private end(error: UserError): void {
    this.ended ??= error;
    const waiter = this.waiter;
    this.waiter = null;
    waiter?.reject(this.ended);
  }
}

/** @throws ServerFull, RefusedError, or SessionLost if the text is not an OpenEnv frame */
function observationOf(text: string, where: string, isFirst: boolean): Observation {
  let frame: Frame;
  try {
    frame = Frame.parse(JSON.parse(text));
  } catch (cause) {
    throw new SessionLost(`not an OpenEnv frame: ${notANumber(text) ?? excerpt(text)}`, { where, cause });
  }
  if (frame.type === 'observation') return frame.data;
  if (frame.type === 'state') throw new SessionLost('the server sent an unexpected state frame', { where });
  const { code, active_sessions, max_sessions } = frame.data;
  if (code === 'CAPACITY_REACHED' && isFirst) throw new ServerFull(where, active_sessions, max_sessions);
  throw new RefusedError(excerpt(errorText(frame.data), 600), { where, serverCode: code });
}

/** Describes a NaN or infinity, which Python writes although JSON has no such number; undefined if there is none. */
function notANumber(text: string): string | undefined {
  const found = /[[,:]\s*(NaN|-?Infinity)(?=\s*[\],}])/.exec(text);
  if (!found) return undefined;
  const around = text.slice(Math.max(0, found.index - 60), found.index + found[0].length);
  return `${found[1]} is not valid JSON: …${excerpt(around)}…`;
}
