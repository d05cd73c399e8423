/** The files that `gym dataset collate` (0.7) makes from the rows of `path`; beside other rows they are an error. */
export function derivedFiles(path: string): string[] {
  const stem = /^(data\/[^/]+)\.jsonl$/.exec(path)?.[1];
  return stem === undefined ? [] : [`${stem}_metrics.json`, `${stem}_prepare.jsonl`];
}
