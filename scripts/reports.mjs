// Reads the report file of a check: how many tests passed, and which failed.

import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './project.mjs';

/**
 * The { passed, failed, skipped, failures } of one check. `failures` has the names of the failed tests.
 * A program that failed without a failed test counts as one failure, under its own name.
 */
export function summary({ name, report }, file, ok) {
  const result = (existsSync(file) && PARSERS[report]?.(readFileSync(file, 'utf8'))) || {
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
  };
  if (!ok && result.failed === 0) return { ...result, failed: 1, failures: [name] };
  return ok && !report ? { ...result, passed: 1 } : result;
}

const PARSERS = {
  vitest(text) {
    const { numPassedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(text);
    const failures = testResults.flatMap(({ name, status, assertionResults }) => {
      const file = relative(root, name);
      const failed = assertionResults.filter((test) => test.status === 'failed');
      if (status === 'failed' && failed.length === 0) return [file]; // a file that fails to load has no failed test
      return failed.map(({ fullName }) => `${file}: ${fullName}`);
    });
    return { passed: numPassedTests, failed: failures.length, skipped: numPendingTests + numTodoTests, failures };
  },
  junit(text) {
    const attribute = (name) => Number(text.match(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`))?.[1] ?? 0);
    const failed = attribute('failures') + attribute('errors');
    const cases = text.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*>\s*<(?:failure|error)\b/g);
    const failures = [...cases].map(([, file, name]) => `${file}: ${name}`);
    return {
      passed: attribute('tests') - failed - attribute('skipped'),
      failed,
      skipped: attribute('skipped'),
      failures,
    };
  },
};
