// Runs before the tests of a project: builds the current sources, for tests that run gymgen in its own process.

export { ensureBuilt as default } from '../../scripts/project.mjs';
