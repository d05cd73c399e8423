import { GENERATE, rows } from './option.js';

const ALL = [
  'write',
  'check',
  'update',
  'batch',
  'inspect',
  'record',
  'package',
  'play',
  'report',
  'validate',
  'demo',
  'doctor',
  'trainer nemo-rl',
  'trainer axolotl',
  'trainer verl',
] as const;

/**
 * Options that decide how a command runs and what it prints, by the heading of their group. They are not kept in lock
 * files.
 */
export const RUN_OPTIONS = {
  Run: rows({
    dryRun: {
      flags: '--dry-run',
      help: 'Show the plan and one row; write nothing',
      commands: ['write', 'update', 'package', 'trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      in: {
        update: { help: 'Show what would change; write nothing' },
        package: { help: 'Show the files of each file set, and what is left out; write nothing' },
        'trainer nemo-rl': { help: 'Print the config; write nothing' },
        'trainer axolotl': { help: 'Check the rows and print the config; write nothing' },
        'trainer verl': { help: 'Print the file; write nothing' },
      },
    },
    diff: {
      flags: '--diff',
      help: 'Show the plan and the differences; write nothing',
      commands: ['write'],
    },
    root: {
      flags: '--root <dir>',
      help: 'Target Gym root',
      unset: 'the root of the batch file',
      commands: ['batch'],
      value: (v) => v.text,
    },
    source: {
      flags: '--source <source>',
      help: 'Source to use instead of the one in the lock file',
      commands: ['check', 'update'],
      value: (v) => v.text,
    },
    sources: {
      flags: '--source <source>',
      help: 'Source to read',
      commands: ['batch'],
      value: (v) => v.texts,
      repeatable: true,
    },
    runSource: {
      flags: '--run-source',
      help: 'Run the bundle or project that the lock file names',
      commands: ['check', 'update'],
    },
    concurrency: {
      flags: '--concurrency <n>',
      help: 'Number of sources to work on at once',
      unset: 'the number of processors',
      commands: ['batch'],
      value: (v) => v.whole(1),
    },
    retries: {
      flags: '--retries <n>',
      help: 'Number of retries for an unreachable source',
      default: 2,
      commands: ['batch'],
      value: (v) => v.whole(0),
    },
    failFast: {
      flags: '--fail-fast',
      help: 'Stop at the first failure',
      commands: ['batch'],
    },
    check: {
      flags: '--check',
      help: 'Compare with the existing folders; write nothing',
      commands: ['batch', 'package'],
      conflicts: 'dryRun',
      in: { package: { help: 'Compare with the existing package; write nothing' } },
    },
    output: {
      flags: '-o, --output <file>',
      help: 'HTML file to write',
      default: 'report.html',
      commands: ['report'],
      value: (v) => v.text,
    },
    maxTotalSequenceLength: {
      flags: '--max-total-sequence-length <tokens>',
      help: 'Longest sequence that the trainer accepts; the page marks longer ones',
      commands: ['report', 'trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      in: {
        'trainer axolotl': {
          help: 'Longest sequence: a row and all replies to it',
          unset: 'fits the longest row at 4 characters per token',
        },
        'trainer verl': {
          help: 'Longest sequence: a row and all replies to it',
          unset: 'fits the longest row at 4 characters per token',
        },
        'trainer nemo-rl': {
          help: 'Longest sequence: a row and all replies to it',
          unset: 'as in `--base` if the rows fit, or a length that fits the longest row at 4 characters per token',
        },
      },
      value: (v) => v.whole(1),
    },
    force: {
      flags: '--force',
      help: 'Overwrite files that were edited by hand',
      commands: ['write', 'update', 'batch', 'package', 'report', 'trainer nemo-rl', 'trainer axolotl', 'trainer verl'],
      in: {
        report: { help: 'Replace the file even if it is not a gymgen report' },
        'trainer nemo-rl': { help: 'Replace the file even if gymgen did not write it or it was edited' },
        'trainer verl': { help: 'Replace the file even if gymgen did not write it or it was edited' },
        'trainer axolotl': { help: 'Replace files even if gymgen did not write them or they were edited' },
      },
    },
    theirs: {
      flags: '--theirs',
      help: 'Keep manual edits and record them, so that check accepts them',
      commands: ['update'],
      conflicts: 'force',
    },
    keepPrompts: {
      flags: '--keep-prompts',
      help: 'Keep edited prompts row by row, and regenerate everything else in the rows',
      commands: ['update'],
    },
    github: {
      flags: '--github',
      help: 'Print an annotation for GitHub Actions for each file that differs, and for each failure',
      commands: ['check', 'batch', 'validate'],
      in: { validate: { help: 'Print an annotation for GitHub Actions for each finding' } },
    },
    strict: {
      flags: '--strict',
      help: 'Treat warnings as errors: exit with 1, and write nothing for a source with warnings',
      commands: [...GENERATE, 'validate'],
      in: { validate: { help: 'Exit with 1 for warnings, too' } },
    },
    serve: {
      flags: '--serve',
      help: 'Serve the example in the foreground, for NeMo Gym to use; write nothing',
      commands: ['demo'],
    },
    port: {
      flags: '--port <port>',
      help: 'Port of the server, also written into the config',
      default: 8000,
      commands: ['demo'],
      value: (v) => v.port,
    },
  }),
  Output: rows({
    json: {
      flags: '--json',
      help: 'Print one JSON document to stdout',
      commands: ALL,
    },
    quiet: {
      flags: '-q, --quiet',
      help: 'Print only errors and the result, without progress',
      commands: ALL,
    },
    verbose: {
      flags: '-v, --verbose',
      help: 'Print each request with its time, and the cause of an error',
      commands: ALL,
    },
  }),
} as const;
