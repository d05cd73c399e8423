import type { NamedSource } from './types.js';

const SHORT = /^hf:([^/\s]+)\/([^/\s]+)$/i;
const PAGE = /^https?:\/\/(?:www\.)?(?:huggingface\.co|hf\.co)\/spaces\/([^/?#\s]+)\/([^/?#\s]+)/i;

/** The address that a Hugging Face Space's app has, or null where the text names none: `hf:owner/name`, or its page. */
export function spaceUrl(text: string): string | null {
  const [, owner, name] = SHORT.exec(text) ?? PAGE.exec(text) ?? [];
  if (owner === undefined || name === undefined) return null;
  return `https://${`${owner}-${name}`.toLowerCase().replace(/[^a-z0-9]/g, '-')}.hf.space`;
}

export function spaceSource(url: string): NamedSource {
  return {
    kind: 'space',
    open: async ({ reporter }) => {
      reporter.note?.(`the Space's app is ${url}; a private one needs --header-env 'Authorization=Bearer $HF_TOKEN'`);
      return { url, close: async () => {} };
    },
  };
}
