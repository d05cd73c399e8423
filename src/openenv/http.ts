import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { parseUrl } from '../credentials.js';
import { UserError } from '../errors.js';
import { exceededLimit } from '../json/bounds.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import type { OnProgress, OnRequest } from '../reporter.js';
import { connectionFailure, excerpt, Unreachable } from './failures.js';
import { HttpAnswer, HttpStatusError } from './http-answer.js';
import { type HttpProxy, onProxyRefusal, proxyAgent, proxyFor, proxyRefusal } from './proxy.js';
import { reportRequest } from './report-request.js';
import { busyOf, type ServerBusy, waitFor } from './retry-after.js';
import type { ServerUrl } from './url.js';

export interface HttpOptions {
  /** Sent to the server's own origin only. */
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Seconds without a byte after which a request fails (default: 60). */
  idleTimeout?: number;
  /** Upper bound on the bytes of a response (default: `LIMITS.responseBytes`). */
  maxBytes?: number;
  /** Seconds for a whole response (default: `LIMITS.responseSeconds`). */
  responseTimeout?: number;
  /** Called before waiting for a busy server. */
  waiting?: OnProgress;
  /** Called after each request. */
  sent?: OnRequest | undefined;
}

export interface JsonAnswer {
  value: unknown;
  /** The body as it was received, because JSON.parse changes numbers. */
  data: Buffer;
  bytes: number;
}

interface Exchanged {
  response: http.IncomingMessage;
  data: Buffer;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;
/** Number of chunks to concatenate at a time: a server can send single bytes, and a chunk takes far more memory than a byte. */
const CHUNKS = 1024;

/** Sends JSON requests to one OpenEnv server, on connections that are kept open. */
export class HttpClient {
  private readonly agent: http.Agent | Promise<http.Agent>;
  private readonly proxy: HttpProxy | null;
  private readonly origin: string;
  /** Bytes of all responses so far. */
  bytes = 0;
  /** Requests made so far, redirects included. */
  requests = 0;

  constructor(
    readonly server: ServerUrl,
    readonly options: HttpOptions,
  ) {
    this.origin = new URL(server.http).origin;
    this.proxy = proxyFor(server.http);
    const isSecure = this.origin.startsWith('https');
    const kept = { keepAlive: true, maxSockets: 8 };
    this.agent = this.proxy
      ? proxyAgent(this.proxy, isSecure, { ...kept, signal: options.signal })
      : new (isSecure ? https : http).Agent(kept);
  }

  close(): void {
    if (this.agent instanceof Promise)
      this.agent.then((agent) => agent.destroy()).catch(() => {}); // reported by `ask`
    else this.agent.destroy();
  }

  /**
   * @param path below the server's base, with its leading slash
   * @returns the parsed body, the body, and its size in bytes
   * @throws UserError naming the request and the problem; the signal's reason if it aborts
   */
  async json(method: 'GET' | 'POST', path: string, body?: unknown): Promise<JsonAnswer> {
    const answer = await this.ask(method, path, body);
    const exceeded = exceededLimit(answer.data);
    if (exceeded !== undefined) throw overLimit(exceeded, { where: answer.requestLine });
    return { value: answer.read(), data: answer.data, bytes: answer.data.length };
  }

  /**
   * Sends a request whose response the caller parses.
   * @param path below the server's base, with its leading slash
   * @throws UserError naming the request and the problem; the signal's reason if it aborts
   */
  async ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<HttpAnswer> {
    const requestLine = `${method} ${this.server.http}${path}`;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const agent = await this.agent;
    let url = new URL(this.server.http + path);
    let waited = 0;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const exchange = this.exchange(method, url, payload, requestLine, agent);
      const { response, data } = await reportRequest(requestLine, exchange, this.options.sent, (answer) => ({
        bytes: answer.data.length,
        status: answer.response.statusCode ?? 0,
      }));
      const status = response.statusCode ?? 0;
      const busy = busyOf(status, response.headers['retry-after'], requestLine);
      if (busy) {
        waited += await this.wait(busy, waited);
        hop -= 1;
        continue;
      }
      if (status === 407 && this.proxy) throw proxyRefusal(this.proxy, status, requestLine);
      if (REDIRECTS.has(status) && response.headers.location) {
        url = this.redirect(url, response.headers.location, requestLine);
        continue;
      }
      if (status < 200 || status > 299) throw new HttpStatusError(status, requestLine, data.toString());
      return new HttpAnswer(data, requestLine, response.headers['content-type'] ?? 'no content type');
    }
    throw new UserError(`the server redirected more than ${MAX_REDIRECTS} times`, {
      where: requestLine,
      fix: 'correct the redirects on the server, or use the URL that they should lead to',
    });
  }

  private redirect(from: URL, location: string, requestLine: string): URL {
    const to = parseUrl(location, from.href);
    if (to?.origin === this.origin) return to;
    // The headers may contain a token, and the config would name the wrong server. So the user must decide.
    throw new UserError(`the server redirects to ${to?.origin ?? excerpt(location)}`, {
      where: requestLine,
      fix: 'if you trust that URL, use it instead',
    });
  }

  /** @returns the seconds that were waited */
  private async wait(busy: ServerBusy, waited: number): Promise<number> {
    const { signal, waiting } = this.options;
    const wait = waitFor(busy, waited);
    waiting?.(wait);
    await sleep(wait.seconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted());
    return busy.seconds;
  }

  private exchange(
    method: string,
    url: URL,
    payload: string | undefined,
    requestLine: string,
    agent: http.Agent,
  ): Promise<Exchanged> {
    const { signal, headers, idleTimeout = 60, responseTimeout = LIMITS.responseSeconds } = this.options;
    const send: http.OutgoingHttpHeaders = { Accept: 'application/json', ...this.server.headers, ...headers };
    if (payload !== undefined) {
      send['Content-Type'] = 'application/json';
      send['Content-Length'] = Buffer.byteLength(payload);
    }
    this.requests += 1;
    let timer: NodeJS.Timeout | undefined;
    return new Promise<Exchanged>((resolve, reject) => {
      const fail = (error: unknown) =>
        reject(
          signal.aborted
            ? signal.reason
            : error instanceof UserError
              ? error
              : connectionFailure(requestLine, error, this.proxy),
        );
      timer = setTimeout(() => {
        fail(overLimit('responseSeconds', { where: requestLine, limit: responseTimeout }));
        request.destroy();
      }, responseTimeout * 1000);
      const { request: start } = url.protocol === 'https:' ? https : http;
      const request = start(url, { method, agent, headers: send, signal, timeout: idleTimeout * 1000 });
      request.on('timeout', () =>
        request.destroy(
          new Unreachable(`no response within ${idleTimeout} s`, {
            where: requestLine,
            fix: "look at the server's log",
          }),
        ),
      );
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed a kept connection just as it was reused. Repeating is safe, because no request changes the server.
        const stale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
        if (stale) resolve(this.exchange(method, url, payload, requestLine, agent));
        else fail(error);
      });
      if (this.proxy) {
        onProxyRefusal(request, this.proxy, requestLine, (error) => {
          fail(error);
          request.destroy();
        });
      }
      request.on('response', (response) => {
        this.read(response, requestLine).then((data) => resolve({ response, data }), fail);
      });
      request.end(payload);
    }).finally(() => clearTimeout(timer));
  }

  private async read(response: http.IncomingMessage, requestLine: string): Promise<Buffer> {
    const { maxBytes = LIMITS.responseBytes } = this.options;
    const chunks: Buffer[] = [];
    let last: Buffer[] = [];
    let size = 0;
    const body = decoded(response).on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (last.push(chunk) === CHUNKS) {
        chunks.push(Buffer.concat(last));
        last = [];
      }
      if (size <= maxBytes) return;
      body.destroy(overLimit('responseBytes', { where: requestLine, limit: maxBytes }));
      response.destroy();
    });
    await finished(body); // an iterator takes a tenth longer
    this.bytes += size;
    chunks.push(...last);
    return withoutMark(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
  }
}

/** The decompressed body. A proxy may compress it even if the request does not ask for that. */
function decoded(response: http.IncomingMessage): Readable {
  const encoding = response.headers['content-encoding'];
  if (encoding === 'gzip' || encoding === 'deflate') return pipe(response, zlib.createUnzip());
  if (encoding === 'br') return pipe(response, zlib.createBrotliDecompress());
  return response;
}

function pipe(response: http.IncomingMessage, unzip: zlib.Unzip | zlib.BrotliDecompress): Readable {
  response.on('error', (error) => unzip.destroy(error));
  return response.pipe(unzip);
}
