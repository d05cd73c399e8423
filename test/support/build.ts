// Before the tests of a project: what runs in processes of its own is built from the sources of now.

export { ensureBuilt as default } from '../../scripts/project.mjs';
