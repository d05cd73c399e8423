import { afterAll, beforeAll, expect } from 'vitest';

/** Fails a test file in which Node warned of something, such as listeners that pile up. Call it at the top of the file. */
export function refuseWarnings(): void {
  const warnings: string[] = [];
  const keep = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
  beforeAll(() => void process.on('warning', keep));
  afterAll(async () => {
    await new Promise((resolve) => setImmediate(resolve)); // warnings come a tick late
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });
}
