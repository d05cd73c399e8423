import { describe, expect, test } from 'vitest';
import { packagedConfig } from '../../src/platform/config-text.js';
import { failureOf } from '../support/failure-of.js';

const SERVER = `\
# mine
shop:
  resources_servers:
    shop:
      entrypoint: app.py   # stays
      bundle: "../../../bundles/shop"
      tool_timeout: 30
`;
const AGENT = `\
shop_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
`;
const DATASETS = `\
      datasets:
      - name: train
        type: train
        jsonl_fpath: "a.jsonl"
`;

const textOf = (text: string, reference?: string) => packagedConfig(text, 'shop', reference, 'shop.yaml').text;

describe('only the datasets are removed', () => {
  test.each<[what: string, before: string, after: string]>([
    ['at the end', SERVER + AGENT + DATASETS, SERVER + AGENT],
    ['without a last line break', SERVER + AGENT + DATASETS.trimEnd(), SERVER + AGENT],
    ['in the middle', `${SERVER}${AGENT}${DATASETS}      max_steps: 4\n`, `${SERVER}${AGENT}      max_steps: 4\n`],
    ['before another instance', `${AGENT}${DATASETS}${SERVER}`, `${AGENT}${SERVER}`],
    ['of the server', `${SERVER}${DATASETS}${AGENT}`, `${SERVER}${AGENT}`],
    ['in flow style', `${SERVER}${AGENT}      datasets: [{name: train}]\n`, SERVER + AGENT],
    ['of nothing', SERVER + AGENT, SERVER + AGENT],
  ])('%s', (_, before, after) => {
    expect(textOf(before)).toBe(after);
  });

  test('with Windows line ends', () => {
    const windows = (text: string) => text.replaceAll('\n', '\r\n');
    expect(textOf(windows(SERVER + AGENT + DATASETS))).toBe(windows(SERVER + AGENT));
  });
});

test('a bundle gets another path', () => {
  expect(textOf(SERVER, '../bundle')).toBe(SERVER.replace('../../../bundles/shop', '../bundle'));
  expect(textOf(SERVER.replace(/"(.*)"/, "'$1' # why"), '../bundle')).toContain('      bundle: "../bundle" # why\n');
});

test('settings are read', () => {
  const text = `${SERVER}      headers:\n        A: $TOKEN\n${AGENT}      max_steps: 4\n`;
  expect(packagedConfig(text, 'shop', undefined, 'shop.yaml').settings).toEqual({
    url: undefined,
    bundle: '../../../bundles/shop',
    headers: ['$TOKEN'],
    maxSteps: 4,
    block: { bundle: '../../../bundles/shop', tool_timeout: 30, headers: { A: '$TOKEN' } },
  });
});

test('a config that cannot be cut is refused', async () => {
  const flow = 'shop: {resources_servers: {shop: {entrypoint: app.py, datasets: [a]}}}\n';
  const told = await failureOf(Promise.resolve().then(() => textOf(flow)));
  expect(told).toMatch(/cannot remove the datasets[\s\S]*block style/);
});
