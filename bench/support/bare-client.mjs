// node bare-client.mjs URL FILE TASKS PAGE BYTES: does only what every writer has to do. It fetches the tasks of a
// split in pages of PAGE tasks, parses them, and writes BYTES bytes in total to FILE. It fetches the next page while it
// writes one.

import { open } from 'node:fs/promises';
import { Agent, request } from 'node:http';

const [url, file, ...numbers] = process.argv.slice(2);
const [tasks, length, bytes] = numbers.map(Number);
const agent = new Agent({ keepAlive: true });

function fetchPage(start) {
  const body = JSON.stringify({ split: 'train', start, stop: Math.min(start + length, tasks) });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/bench-v1/task_range`, { method: 'POST', agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).tasks));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const output = await open(file, 'w');
const row = Buffer.alloc(Math.ceil((bytes / tasks) * length), 'a');
let read = 0;
let written = 0;
let next = fetchPage(0);
while (read < tasks) {
  const page = await next;
  read += page.length;
  if (read < tasks) next = fetchPage(read);
  const size = Math.round((bytes * read) / tasks) - written;
  await output.write(row, 0, size);
  written += size;
}
await output.close();
agent.destroy();
