import { afterAll, beforeAll, expect } from 'vitest';

/**
 * Fails a test file if Node printed a warning, for example about too many listeners. Call it at the top of the file.
 */
export function refuseWarnings(): void {
  const warnings: string[] = [];
  const keep = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
  beforeAll(() => void process.on('warning', keep));
  afterAll(async () => {
    await new Promise((resolve) => setImmediate(resolve)); // warnings are emitted one tick later
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });
}
