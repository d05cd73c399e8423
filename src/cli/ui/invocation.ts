import path from 'node:path';

/** How this run was called, so that the commands which gymgen shows work as they stand. */
export function invocation(argv: readonly string[] = process.argv, cwd: string = process.cwd()): string {
  const script = argv[1] ?? 'gymgen';
  if (path.basename(script) === 'gymgen') return 'npx gymgen'; // the link that npm makes in a bin folder
  const relative = path.relative(cwd, script);
  return `node ${relative.startsWith('..') ? script : relative}`;
}
