import { rows } from './option.js';

const PACKAGE = ['package'] as const;
const FORMATS = ['native-v1', 'wheels-v1', 'adapter-wheels-v1'] as const;

/** Options of `gymgen package`, by the heading of their group. */
export const PACKAGE_OPTIONS = {
  Package: rows({
    packageFolder: {
      flags: '-o, --output <folder>',
      help: 'Folder of the package: a new one, or one that gymgen wrote',
      commands: PACKAGE,
      value: (v) => v.filled('a folder'),
    },
    format: {
      flags: `--format <${FORMATS.join('|')}>`,
      help: 'Where the job takes Python packages from: an index, or wheels in the package',
      commands: PACKAGE,
      value: (v) => v.oneOf(FORMATS),
      choices: FORMATS,
    },
    packageTrain: {
      flags: '--train <split>',
      help: 'Split of the training rows',
      unset: 'train, or the only split',
      commands: PACKAGE,
      value: (v) => v.text,
    },
    packageValidation: {
      flags: '--validation <split>',
      help: 'Split of the validation rows',
      unset: 'no validation rows',
      commands: PACKAGE,
      value: (v) => v.text,
      conflicts: 'validationFraction',
    },
    validationFraction: {
      flags: '--validation-fraction <share>',
      help: 'Share of the training tasks that become validation rows, chosen by their ids',
      commands: PACKAGE,
      value: (v) => v.share,
    },
    rowLimit: {
      flags: '--limit <rows>',
      help: 'Maximum number of rows per split and server',
      unset: 'all',
      commands: PACKAGE,
      value: (v) => v.whole(1),
    },
    carry: {
      flags: '--carry <file>',
      help: "Additional file to include, as a path in the server's folder",
      commands: PACKAGE,
      value: (v) => v.texts,
      repeatable: true,
    },
    urlIsReachable: {
      flags: '--url-is-reachable',
      help: 'Accept a loopback or private URL in the config',
      commands: PACKAGE,
    },
    fileset: {
      flags: '--fileset <name>',
      help: 'Name of the file set; the dataset gets NAME-rows',
      unset: "the server's name and a digest of the content",
      commands: PACKAGE,
      value: (v) => v.text,
    },
    workspace: {
      flags: '--workspace <name>',
      help: 'Workspace of NeMo Platform',
      default: 'default',
      commands: PACKAGE,
      value: (v) => v.text,
    },
    packageModel: {
      flags: '--model <name>',
      help: 'Model in job.json, as NAME or WORKSPACE/NAME',
      unset: 'a placeholder',
      commands: PACKAGE,
      value: (v) => v.text,
    },
  }),
  'Wheels of a package': rows({
    wheelhouse: {
      flags: '--wheelhouse <folder>',
      help: 'Folder with exactly the wheels of the package; the network is not used',
      unset: 'wheels from a package index',
      commands: PACKAGE,
      value: (v) => v.filled('a folder'),
    },
    uvPolicy: {
      flags: '--uv-policy <pyproject.toml>',
      help: "NeMo RL's pyproject.toml, with the uv overrides and constraints that apply in the job",
      commands: PACKAGE,
      value: (v) => v.filled('a file'),
      path: 'file',
    },
    maxTokens: {
      flags: '--max-tokens <n>',
      help: 'Maximum number of tokens that the verifiers agent generates per call',
      default: 8192,
      commands: PACKAGE,
      value: (v) => v.whole(1),
    },
  }),
} as const;
