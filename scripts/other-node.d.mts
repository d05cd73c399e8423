// Types of other-node.mjs, for the test that compares two Node versions.

export function ensureOtherNode(): string;
