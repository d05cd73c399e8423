import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ScannedJson } from '../json/json-string.js';
import { HttpAnswer, type HttpClient, type HttpOptions } from './http.js';
import type { ServerUrl } from './url.js';

/** What the thread begins with. */
export interface ThreadData {
  server: ServerUrl;
  options: Omit<HttpOptions, 'signal' | 'waiting'>;
}

export interface PageRequest {
  id: number;
  path: string;
  body: unknown;
}

/** An answer whose long strings were found, as a message: V8 keeps a long string of one where it keeps what lives long. */
export interface ThreadPage extends Omit<ScannedJson, 'data' | 'text'> {
  asked: string;
  type: string;
  data: Uint8Array;
  text: Uint8Array;
}

/** The same as it is read. */
export interface ScannedAnswer {
  answer: HttpAnswer;
  scanned: ScannedJson;
}

export interface PageReply {
  id: number;
  /** Where nothing went wrong. */
  page: ThreadPage | undefined;
  /** Requests made and bytes that came since the reply before. */
  requests: number;
  bytes: number;
}

/** By the same path from src/, which Node doesn't run, as from dist/. */
const FILE = fileURLToPath(new URL('../../dist/openenv/page-worker.cjs', import.meta.url));

/**
 * Asks for pages, and finds the long strings in them, beside what is done here: a third of what a large split takes. What goes
 * wrong there isn't told; it is asked for here, then.
 */
export class PageThread {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (page?: ScannedAnswer) => void>();
  private asked = 0;
  private isUp = false;

  /** @param http of which the requests and bytes of the thread are a part */
  constructor(private readonly http: HttpClient) {
    const { signal, waiting: _, ...options } = http.options;
    const data: ThreadData = { server: http.server, options };
    this.worker = new Worker(FILE, { workerData: data });
    this.worker.once('online', () => {
      this.isUp = true;
    });
    this.worker.on('message', (reply: PageReply) => this.take(reply));
    this.worker.on('error', () => {}); // it exits
    this.worker.once('exit', () => this.end());
    signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /** The answer to a POST; undefined where the thread can't give it. */
  async ask(path: string, body: unknown): Promise<ScannedAnswer | undefined> {
    if (!this.isUp) return undefined;
    this.asked += 1;
    const request: PageRequest = { id: this.asked, path, body };
    return new Promise((resolve) => {
      this.waiting.set(request.id, resolve);
      this.worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    this.end();
    await this.worker.terminate();
  }

  private take({ id, page, requests, bytes }: PageReply): void {
    this.http.requests += requests;
    this.http.bytes += bytes;
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    resolve?.(page && received(page));
  }

  private end(): void {
    this.isUp = false;
    for (const resolve of this.waiting.values()) resolve();
    this.waiting.clear();
  }
}

function received({ asked, type, mark, places, ...page }: ThreadPage): ScannedAnswer {
  const data = buffer(page.data);
  return {
    answer: new HttpAnswer(data, asked, type),
    scanned: { data, text: buffer(page.text).toString(), mark, places },
  };
}

/** What was a Buffer is but a Uint8Array in a message. */
function buffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
