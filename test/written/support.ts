/** A row in gymgen's spelling, without tools. */
export function row(prompt: string): string {
  const input = `[{"role":"user","content":${JSON.stringify(prompt)}}]`;
  return `{"responses_create_params":{"input":${input},"tools":[]},"index":0,"split":"train","task_id":"a"}`;
}

export async function* rows(...lines: string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
