import type { RecordReport } from '../operations/record.js';
import type { RecordDocument } from './source-documents.js';

export function recordDocument({ file, envName: environment, splits, toolsets }: RecordReport): RecordDocument {
  return { status: 'recorded', file, environment, splits, toolsets };
}
