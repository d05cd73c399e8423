import type { Finding } from '../../src/rules/index.js';

export function codes(findings: readonly Finding[]): string[] {
  return findings.map(({ code }) => code);
}
