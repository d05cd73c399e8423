// The types of other-node.mjs, for the test that compares two versions of Node.

export function ensureOtherNode(): string;
