// How test/check/matrix.test.ts describes a drift. The tables are in source-drifts.ts and folder-drifts.ts.

import type { StandIn } from '../support/stand-in.js';

/** What a drift changes: the server, or a folder of a copy of the Gym root. */
export interface Place {
  server: StandIn;
  /** The written folder. */
  folder: string;
}

/** What a check says: the file with its state, and the reason. A drift without it is not a difference. */
export interface Expected {
  exitCode: 0 | 1 | 2;
  /** Such as `edited  app.py`; a pattern of a line of stdout or stderr. */
  file?: RegExp;
  reason?: RegExp;
}

export interface Drift extends Expected {
  name: string;
  make(place: Place): void;
  /** Entry points that read the lock file, if these say something else. */
  locked?: Expected;
}
