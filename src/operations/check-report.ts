import type { FileDifference } from '../check/difference.js';
import type { Planned } from '../output/index.js';
import type { Generated } from './generate.js';

export interface CheckReport extends Generated, Planned {
  /** Every file that differs from what is generated. */
  differences: FileDifference[];
  /** Files that the user keeps against gymgen's version, or with edited prompts. They are not differences. */
  keptFiles: KeptFile[];
  /** Files in the folders of gymgen that it did not write, such as rows of no known split. */
  unlisted: string[];
  /** Other folders that were written from the same source under another name. They are not differences. */
  former: string[];
}

export interface KeptFile {
  path: string;
  /** Such as `kept as you edited it`. */
  note: string;
}
