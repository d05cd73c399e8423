import { UserError } from '../errors.js';

/** The split in `--datasets train=SPLIT,validation=SPLIT`, with which a folder was written. @param datasets from its lock file */
export function declaredSplit(datasets: unknown, type: 'train' | 'validation'): string | undefined {
  const parts = typeof datasets === 'string' ? datasets.split(',') : [];
  return parts.find((part) => part.trim().startsWith(`${type}=`))?.split('=')[1];
}

/** The error for a split that a folder does not have. */
export function noSplit(where: string, split: string, files: readonly { split: string }[]): UserError {
  const splits = files.map((file) => file.split).join(', ');
  return new UserError(`no rows of split ${JSON.stringify(split)} to train on`, {
    where,
    fix: `add --train SPLIT; the splits are ${splits || 'none'}`,
  });
}
