// A report of 20,000 rollouts: writing it, and opening it in a real browser.

import { createWriteStream } from 'node:fs';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/toolchain.mjs';
import { gymgen, node, withFolder } from './support/commands.mjs';
import { inTurn, measure } from './support/measure.mjs';
import { PARSE_LINES } from './support/parse-lines.mjs';
import { rolloutLines } from './support/rollouts.mjs';
import { row, shownBytes } from './support/rows.mjs';

const ROLLOUTS = { tasks: 5000, repeats: 4, faults: 0.05 };
const WHAT = '20,000 rollouts';
const OPEN_SECONDS = 3;
const MEMORY = 250e6;

export async function report({ repeat = 3 } = {}) {
  return withFolder(async (folder) => {
    const [rollouts, page] = [join(folder, 'rollouts.jsonl'), join(folder, 'report.html')];
    await pipeline(Readable.from(rolloutLines(ROLLOUTS)), createWriteStream(rollouts));
    const ways = {
      ours: () => measure(gymgen('report', rollouts, '-o', page)),
      theirs: () => measure([node, '--input-type=commonjs', '-e', PARSE_LINES, rollouts]),
    };
    const { ours, theirs } = await inTurn(ways, repeat);
    const { size } = await stat(page);
    const seconds = ({ seconds: each }) => `${each.toFixed(2)} s`;
    return [
      row(
        `a report of ${WHAT}: time`,
        seconds(ours),
        'JSON.parse of each line',
        seconds(theirs),
        ours.seconds / theirs.seconds,
        3,
      ),
      row(`a report of ${WHAT}: memory`, shownBytes(ours.bytes), 'limit', shownBytes(MEMORY), ours.bytes / MEMORY, 1),
      ...(await opening(page, size, repeat)),
    ];
  });
}

/** The time until the list can be used, and until a rollout is open, each in a new page of a running browser. */
async function opening(page, size, repeat) {
  const executablePath = findChromium();
  if (!executablePath) return [];
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const { list, rollout } = await inTurn(
      {
        list: () => timed(browser, page, '', 'html[data-ready]'),
        rollout: () => timed(browser, page, '#line=12345', '.entries'),
      },
      repeat,
    );
    const bound = (what, { seconds }) =>
      row(
        `${what} (${shownBytes(size)})`,
        `${seconds.toFixed(2)} s`,
        'limit',
        `${OPEN_SECONDS} s`,
        seconds / OPEN_SECONDS,
        1,
      );
    return [bound(`opening a report of ${WHAT}`, list), bound('opening one rollout of them', rollout)];
  } finally {
    await browser.close();
  }
}

async function timed(browser, file, hash, selector) {
  const copy = `${file}.${Math.random()}.html`; // so that nothing of it is cached
  await copyFile(file, copy);
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(pathToFileURL(copy).href + hash, { waitUntil: 'commit' });
  await page.waitForSelector(selector, { state: 'attached' });
  const seconds = (performance.now() - began) / 1000;
  await page.close();
  return { seconds };
}
