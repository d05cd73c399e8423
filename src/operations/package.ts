import path from 'node:path';
import { UserError } from '../errors.js';
import type { Reporter } from '../model.js';
import { assertFinished, type FileFacts, type WholeFile, type WholeWritten, writeWhole } from '../output/index.js';
import {
  assertName,
  baseName,
  type Dataset,
  type DatasetOptions,
  datasetOf,
  digestOf,
  environmentFiles,
  type Format,
  jobText,
  NO_MODEL,
  type PackagedServer,
  readServer,
  type Target,
  TRAINING,
} from '../platform/index.js';
import { shellQuote } from '../printed-command.js';
import { targetFolders, type WrittenFolder } from '../written/index.js';

export interface PackageRequest extends DatasetOptions {
  gymRoot: string;
  /** Names of the servers; may be empty if the root has only one. */
  names: readonly string[];
  /** Folder of the package. */
  folder: string;
  format: Format;
  target: Target;
  carry: readonly string[];
  urlIsReachable: boolean;
  /** Name of the environment's file set, instead of one that ends with a digest. */
  fileset?: string;
  workspace: string;
  model?: string;
  /** Compare with the existing package, and write nothing. */
  isDryRun: boolean;
  /** Replace files of the package that were edited by hand. */
  force: boolean;
}

export interface FilesetReport {
  name: string;
  files: FileFacts[];
}

export interface PackageReport extends WholeWritten {
  /** As passed. */
  folder: string;
  servers: string[];
  environment: FilesetReport;
  dataset: FilesetReport;
  /** Number of rows of each file of the dataset. */
  rows: { path: string; rows: number }[];
  leftOut: { path: string; why: string }[];
  warnings: string[];
  notes: string[];
  /** The commands that upload the file sets and submit the job. */
  commands: string[];
}

const ENVIRONMENT = 'environment/';
const DATASET = 'dataset/';
const JOB = 'job.json';

/**
 * Writes a NeMo Platform package of written folders: the environment, the dataset and the job.
 * @throws UserError if a job could not play it, or if the folder cannot be replaced
 */
export async function packageServers(
  request: PackageRequest,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<PackageReport> {
  assertNames(request);
  await assertFinished(request.gymRoot);
  const { folders } = await targetFolders(request.gymRoot, request.names);
  if (request.target === 'evals' && folders.length > 1) {
    throw new UserError('an evaluation plays one server, and several are named', { fix: 'make a package of each' });
  }
  const servers = await readServers(folders, request);
  const dataset = await datasetOf(folders, request);
  const names = { environment: '', dataset: '' };
  const written = await writeWhole(
    path.resolve(request.folder),
    {
      files: packageFiles(environmentOf(request, servers), dataset, reporter),
      last: (staged) => {
        assertRows(dataset);
        Object.assign(names, filesetNames(request, folders, staged));
        return [{ path: JOB, content: jobText({ ...request, model: request.model ?? NO_MODEL, servers, ...names }) }];
      },
      record: () => ({
        ...names,
        platform: request.format,
        target: request.target,
        servers: servers.map(({ name }) => name),
      }),
    },
    { ...request, signal },
  );
  return reportOf(request, servers, dataset, names, written);
}

/** @throws UserError if an option cannot be used, whatever the folders contain */
function assertNames({ fileset, workspace, format, target }: PackageRequest): void {
  assertName('--workspace', workspace);
  if (fileset !== undefined) {
    assertName('--fileset', fileset);
    assertName('the dataset of --fileset', `${fileset}-rows`);
  }
  if (target === 'evals' && format === 'adapter-wheels-v1') {
    throw new UserError('an evaluation takes no adapter-wheels-v1', { fix: 'use --format native-v1 or wheels-v1' });
  }
}

async function readServers(folders: readonly WrittenFolder[], request: PackageRequest): Promise<PackagedServer[]> {
  const servers: PackagedServer[] = [];
  for (const folder of folders) servers.push(await readServer(folder, request));
  const carried = new Set(servers.flatMap(({ files }) => files.map((file) => file.path)));
  const missing = request.carry.filter((file) => !carried.has(path.normalize(file)));
  if (missing.length === 0) return servers;
  throw new UserError(`no such file to carry: ${missing.join(', ')}`, {
    where: folders.map(({ folder }) => folder).join(', '),
    fix: 'pass a path in the folder of the server, of a regular file',
  });
}

function environmentOf(request: PackageRequest, servers: readonly PackagedServer[]): WholeFile[] {
  if (request.format === 'adapter-wheels-v1') throw new UserError('adapter-wheels-v1 is not supported yet');
  const name = baseName(servers.map((server) => server.name));
  return environmentFiles({ format: request.format, target: request.target, name, servers });
}

async function* packageFiles(
  environment: readonly WholeFile[],
  dataset: Dataset,
  reporter: Reporter,
): AsyncGenerator<WholeFile> {
  for (const file of environment) yield { ...file, path: ENVIRONMENT + file.path };
  for (const { path: file, rows } of dataset.files) {
    reporter.progress(`reading the rows of ${file}`);
    yield { path: DATASET + file, bytes: rows.bytes() };
  }
}

/** @throws UserError if a file of rows would be empty, which a job refuses */
function assertRows(dataset: Dataset): void {
  for (const { path: file, rows } of dataset.files) {
    if (rows.count > 0) continue;
    throw new UserError(`${file} would have no rows, which a job refuses`, {
      fix: file === TRAINING ? 'choose another split: --train SPLIT' : 'choose another split or a larger share',
    });
  }
}

/** Names end with a digest of the content: an upload only adds files, and a job refuses old wheels beside new ones. */
function filesetNames(
  { fileset }: PackageRequest,
  folders: readonly WrittenFolder[],
  staged: readonly FileFacts[],
): { environment: string; dataset: string } {
  if (fileset !== undefined) return { environment: fileset, dataset: `${fileset}-rows` };
  const base = baseName(folders.map(({ name }) => name));
  const digest = (prefix: string) => digestOf(staged.filter((file) => file.path.startsWith(prefix)));
  return { environment: `${base}-${digest(ENVIRONMENT)}`, dataset: `${base}-rows-${digest(DATASET)}` };
}

function reportOf(
  request: PackageRequest,
  servers: readonly PackagedServer[],
  dataset: Dataset,
  names: { environment: string; dataset: string },
  written: WholeWritten,
): PackageReport {
  const below = (prefix: string) =>
    written.files
      .filter((file) => file.path.startsWith(prefix))
      .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  return {
    ...written,
    folder: request.folder,
    servers: servers.map(({ name }) => name),
    environment: { name: names.environment, files: below(ENVIRONMENT) },
    dataset: { name: names.dataset, files: below(DATASET) },
    rows: dataset.files.map(({ path: file, rows }) => ({ path: file, rows: rows.count })),
    leftOut: servers.flatMap(({ name, leftOut }) => leftOut.map((file) => ({ ...file, path: `${name}/${file.path}` }))),
    warnings: servers.flatMap(({ warnings }) => warnings),
    notes: [
      ...servers.flatMap(({ name, edited }) =>
        edited.map((file) => `${name}/${file} was edited by hand, and goes in as it is`),
      ),
      ...dataset.unused.map((split) => `the rows of ${split} are not in the dataset`),
      ...(request.format === 'native-v1' ? [FETCHED(servers)] : []),
      ...(request.model === undefined ? [`set the model in ${JOB}, or pass --model`] : []),
    ],
    commands: commandsOf(request, names, written),
  };
}

/** What a native-v1 package needs from an index when the job starts. */
const FETCHED = (servers: readonly PackagedServer[]): string => {
  const own = [...new Set(servers.flatMap(({ requirements }) => requirements))];
  const list = ['nemo-gym, ray and openai at the versions of the image', ...own].join(', ');
  return `when the job starts, it fetches from a package index: ${list}, and all that these require`;
};

/** The commands of `nemo` (nemo-helix 0.8.1). The slash at the end of a folder uploads its contents. */
function commandsOf(
  { folder, workspace, target, fileset }: PackageRequest,
  names: { environment: string; dataset: string },
  { entries }: WholeWritten,
): string[] {
  const upload = (prefix: string, name: string, purpose: string) => {
    const stale = entries.filter(({ path: file, state }) => state === 'stale' && file.startsWith(prefix));
    const from = shellQuote(`${path.join(folder, prefix)}`.replace(/^(?![./])/, './'));
    return [
      `nemo files filesets create ${name} --workspace ${workspace} --purpose ${purpose} --exist-ok`,
      ...(fileset === undefined ? [] : stale).map(
        ({ path: file }) =>
          `nemo files delete ${name} --workspace ${workspace} --remote-path ${shellQuote(file.slice(prefix.length))}`,
      ),
      `nemo files upload ${from} ${name} --workspace ${workspace}`,
      `nemo files list ${name} --workspace ${workspace}`,
    ];
  };
  const job = shellQuote(path.join(folder, JOB));
  return [
    ...upload(ENVIRONMENT, names.environment, 'environment'),
    ...(target === 'grpo'
      ? [
          ...upload(DATASET, names.dataset, 'dataset'),
          `nemo customization rl --job-json ${job} --workspace ${workspace}`,
        ]
      : [`nemo evals agent-evaluate --spec-file ${job} --workspace ${workspace}`]),
  ];
}
