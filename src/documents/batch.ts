import { withoutCredentials } from '../credentials.js';
import type { Outcome } from '../operations/batch.js';
import { checkedFolder } from './check.js';
import { errorDocument } from './error.js';
import type { BatchDocument } from './schemas/batch.js';

export function batchDocument(outcomes: readonly Outcome[]): BatchDocument {
  return {
    jobs: outcomes.map(({ job, status, name, rows, toolsets, error, report }) => {
      const base = {
        source: withoutCredentials(job.request.source),
        status,
        name: name ?? job.request.name,
        rows,
        toolsets,
        ...(report && { check: checkedFolder(report) }),
      };
      return error ? { ...base, error: errorDocument(error) } : base;
    }),
  };
}
