/** Output without how long a write took: `wrote gym-root/resources_servers/grid_v1 in 0.5 s`. */
export function withoutTime(text: string): string {
  return text.replace(/^(wrote .*) in \d+\.\d s$/gm, '$1');
}
