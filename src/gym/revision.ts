/**
 * The revision of what gymgen generates, in the lock file and nowhere else. With it, `check` and `update` distinguish a
 * change of gymgen from a change of the source, and an older gymgen does not undo the work of a newer one. Raise it
 * whenever a template or the bridge changes: test/gym/revision.test.ts asks for it. A lock file of format 1 has
 * revision 0.
 */
export const GENERATOR_REVISION = 7;
