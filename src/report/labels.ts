import path from 'node:path';

/** Short names of files: their base names, with as many folders as needed to distinguish them. */
export function labelsOf(files: readonly string[]): string[] {
  const parts = files.map((file) =>
    path
      .normalize(file)
      .split(path.sep)
      .filter((part) => part !== '' && part !== '.'),
  );
  const longest = Math.max(...parts.map(({ length }) => length));
  for (let length = 1; length <= longest; length += 1) {
    const labels = parts.map((part) => part.slice(-length).join('/'));
    if (new Set(labels).size === labels.length) return labels;
  }
  return files.map((_, at) => `${parts[at]?.join('/')} (${at + 1})`);
}
