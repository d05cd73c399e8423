// Counts what a check did, from the report that its program wrote for machines.

import { existsSync, readFileSync } from 'node:fs';

/** { passed, failed, skipped } of one check. A program that failed without a failed test counts as one. */
export function count({ report }, file, ok) {
  const counts = (existsSync(file) && PARSERS[report]?.(readFileSync(file, 'utf8'))) || {
    passed: 0,
    failed: 0,
    skipped: 0,
  };
  if (!ok) counts.failed = Math.max(counts.failed, 1);
  else if (!report) counts.passed = 1;
  return counts;
}

const PARSERS = {
  vitest(text) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(text);
    const unread = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(hasFailed),
    );
    const failed = numFailedTests + unread.length; // a file that can't be loaded has no test that fails
    return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
  },
  junit(text) {
    const of = (name) => Number(text.match(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`))?.[1] ?? 0);
    const failed = of('failures') + of('errors');
    return { passed: of('tests') - failed - of('skipped'), failed, skipped: of('skipped') };
  },
};

const hasFailed = ({ status }) => status === 'failed';
