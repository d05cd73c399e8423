import type { RecordReport } from '../operations/record.js';
import type { RecordDocument } from './schemas/record.js';

export function recordDocument({ file, envName: environment, splits, toolsets }: RecordReport): RecordDocument {
  return { status: 'recorded', file, environment, splits, toolsets };
}
