// The thread of PageThread.

import { parentPort, workerData } from 'node:worker_threads';
import { scanJson } from '../json/json-string.js';
import { HttpClient } from './http.js';
import type { PageReply, PageRequest, ThreadData, ThreadPage } from './page-thread.js';

const { server, options }: ThreadData = workerData;
const http = new HttpClient(server, { ...options, signal: new AbortController().signal });
let [requests, bytes] = [0, 0];

parentPort?.on('message', async ({ id, path, body }: PageRequest) => {
  const page = await read(path, body).catch(() => undefined);
  const reply: PageReply = { id, page, requests: http.requests - requests, bytes: http.bytes - bytes };
  [requests, bytes] = [http.requests, http.bytes];
  parentPort?.postMessage(reply, page ? [...own(page.data), ...own(page.text)] : []);
});

async function read(path: string, body: unknown): Promise<ThreadPage> {
  const { data, asked, type } = await http.ask('POST', path, body);
  const scanned = scanJson(data);
  return { ...scanned, asked, type, text: Buffer.from(scanned.text) };
}

/** Its memory, to be given away, where nothing else is in that; what isn't given away is copied. */
function own({ buffer, byteOffset }: Uint8Array): ArrayBuffer[] {
  return byteOffset === 0 && buffer.byteLength > Buffer.poolSize ? [buffer as ArrayBuffer] : [];
}
