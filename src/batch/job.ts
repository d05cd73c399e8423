import type { UserError } from '../errors.js';
import type { WriteRequest } from '../write.js';

/** One source of a batch. */
export interface Job {
  /** As messages call it: its name, or the source as it was given. */
  label: string;
  request: WriteRequest;
}

export type Status = 'wrote' | 'unchanged' | 'same' | 'differs' | 'failed' | 'skipped';

export interface Outcome {
  job: Job;
  status: Status;
  /** The folder's name, where it came to that. */
  name?: string;
  rows?: number;
  toolsets?: number;
  error?: UserError;
}
