// npm run lint: which folders of src/ may import which. Data flows from left to right, and imports point the other way.

const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

/** The folders in the order of a run. Each may import the folders before it, and the base. */
const ORDER = [
  'source',
  'openenv',
  'discover',
  'gym',
  'output',
  'written',
  'check',
  'platform',
  'validate',
  'trainers',
  'play',
  'report',
  'operations',
  'documents',
  'api',
  'cli',
];

/** The base: the files directly in src/, except the library's entry point, and json/. Every folder may import it. */
const CORE = '^src/(?!index\\.ts$)(json/|[^/]+$)';
/** The rest of the base, which builds on the core: the table of options, Gym's rules, and the user's state. */
const UPPER_BASE = '^src/(options|rules|state)/';

const KNOWN = ['json', 'options', 'rules', 'state', ...ORDER];

const src = join(__dirname, 'src');
/**
 * Folders that are imported only through their index.ts. The parser of option values is imported by its own file, so that a
 * command loads only what it needs.
 */
const indexed = readdirSync(src, { recursive: true }).filter(
  (name) => existsSync(join(src, name, 'index.ts')) && name !== 'options',
);

const laterFolders = ORDER.slice(0, -1).map((folder, index) => ({
  name: `${folder}-imports-a-later-folder`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: `^src/(${ORDER.slice(index + 1).join('|')})/` },
}));

const frontDoors = indexed.map((folder) => ({
  name: `import-${folder.replaceAll('/', '-')}-from-its-index`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${folder}/` },
  to: { path: `^src/${folder}/(?!index\\.ts$)` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'base-imports-only-base',
      severity: 'error',
      from: { path: `${CORE}|${UPPER_BASE}` },
      to: { path: '^src/', pathNot: `${CORE}|${UPPER_BASE}` },
    },
    {
      name: 'core-imports-no-rules-and-no-state',
      severity: 'error',
      from: { path: CORE },
      to: { path: UPPER_BASE },
    },
    ...laterFolders,
    ...frontDoors,
    {
      name: 'folder-without-a-place-in-the-order',
      comment: 'Give a new folder its place in ORDER.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/((${KNOWN.join('|')})/|[^/]+$)` },
      to: {},
    },
    {
      name: 'src-imports-its-entry-point',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'cycle',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
  ],
  options: {
    includeOnly: '^src/',
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
