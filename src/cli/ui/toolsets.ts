/** Toolsets with the same key, in the order of the first one. */
export function grouped<T>(toolsets: readonly T[], keyOf: (toolset: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const toolset of toolsets) {
    const key = keyOf(toolset);
    const group = groups.get(key);
    if (group) group.push(toolset);
    else groups.set(key, [toolset]);
  }
  return [...groups.values()];
}
