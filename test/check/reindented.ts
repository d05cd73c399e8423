/** A config of gymgen with twice its indentation. */
export function reindented(text: string): string {
  return text.replace(/^( +)(- )?/gm, (_, indent: string, dash?: string) => indent + indent + (dash ? '-   ' : ''));
}
