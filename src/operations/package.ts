import path from 'node:path';
import { UserError } from '../errors.js';
import { assertFinished, type FileFacts, type WholeFile, type WholeWritten, writeWhole } from '../output/index.js';
import {
  adapterFiles,
  adapterRow,
  assertName,
  baseName,
  DATASET,
  type Dataset,
  datasetOf,
  digestOf,
  ENVIRONMENT,
  environmentFiles,
  environmentId,
  environmentWheel,
  type FilesetNames,
  JOB,
  jobCommands,
  jobText,
  NO_MODEL,
  type PackagedServer,
  parsePins,
  readServer,
  readUvPolicy,
  requirementsOf,
  type Wheels,
  wheelsOf,
} from '../platform/index.js';
import type { Reporter } from '../reporter.js';
import { describe, IMAGE_PINS, TRAINING } from '../rules/index.js';
import { judgePackage, readPackage } from '../validate/index.js';
import { targetFolders, type WrittenFolder } from '../written/index.js';
import { packageNotes } from './package-notes.js';
import type { PackageRequest } from './package-request.js';

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

/** The content of a package. */
interface Parts {
  names: readonly string[];
  servers: readonly PackagedServer[];
  dataset: Dataset;
  wheels: Wheels | undefined;
}

/**
 * Writes a NeMo Platform package of written folders: the environment, the dataset and the job.
 * @throws UserError if a job could not play it, or if the folder cannot be replaced
 */
export async function packageServers(
  request: PackageRequest,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<PackageReport> {
  assertOptions(request);
  await assertFinished(request.gymRoot);
  const { folders } = await targetFolders(request.gymRoot, request.names);
  if (request.target === 'evals' && folders.length > 1) {
    throw new UserError('an evaluation can play only one server', { fix: 'write a package for each' });
  }
  const names = folders.map(({ name }) => name);
  const servers = await readServers(folders, request);
  const isAdapter = request.format === 'adapter-wheels-v1';
  const change = isAdapter ? adapterRow(environmentId(baseName(names))) : undefined;
  const dataset = await datasetOf(folders, request, change);
  const wheels = await wheelsFor(request, servers, reporter, signal);
  try {
    return await write(request, { names, servers, dataset, wheels }, reporter, signal);
  } finally {
    await wheels?.close();
  }
}

/** @throws UserError if an option cannot be used, whatever the folders contain */
function assertOptions({ fileset, workspace, format, target, pin, wheelhouse, uvPolicy }: PackageRequest): void {
  assertName('--workspace', workspace);
  if (fileset !== undefined) {
    assertName('--fileset', fileset);
    assertName('the dataset of --fileset', rowsName(fileset));
  }
  if (target === 'evals' && format === 'adapter-wheels-v1') {
    throw new UserError('an evaluation cannot run adapter-wheels-v1', { fix: 'use --format native-v1 or wheels-v1' });
  }
  const unused = { '--pin': pin[0], '--wheelhouse': wheelhouse, '--uv-policy': uvPolicy };
  const [option] = Object.entries(unused).find(([, value]) => value !== undefined) ?? [];
  if (format !== 'native-v1' || option === undefined) return;
  throw new UserError(`${option} is for packages with wheels`, { fix: `leave it out, or use --format wheels-v1` });
}

const rowsName = (environment: string): string => `${environment}-rows`;

async function readServers(folders: readonly WrittenFolder[], request: PackageRequest): Promise<PackagedServer[]> {
  const servers: PackagedServer[] = [];
  for (const folder of folders) servers.push(await readServer(folder, request));
  const carried = new Set(servers.flatMap(({ files }) => files.map((file) => file.path)));
  const missing = request.carry.filter((file) => !carried.has(path.normalize(file)));
  if (missing.length === 0) return servers;
  throw new UserError(`no such file to carry: ${missing.join(', ')}`, {
    where: folders.map(({ folder }) => folder).join(', '),
    fix: 'pass the path of a regular file in the folder of the server',
  });
}

async function wheelsFor(
  request: PackageRequest,
  servers: readonly PackagedServer[],
  reporter: Reporter,
  signal: AbortSignal,
): Promise<Wheels | undefined> {
  const { format, platform, pin, wheelhouse, uvPolicy, folder } = request;
  if (format === 'native-v1') return undefined;
  const isAdapter = format === 'adapter-wheels-v1';
  const own = [...new Set(servers.flatMap(({ requirements }) => requirements))];
  const parts = {
    folder: path.resolve(folder),
    requirements: requirementsOf(own, parsePins(pin), isAdapter),
    own: [
      ...(isAdapter ? [await environmentWheel(baseName(servers.map(({ name }) => name)), servers)] : []),
      ...servers.flatMap(({ wheels }) => wheels),
    ],
    platform,
    isAdapter,
    policy: uvPolicy === undefined ? undefined : await readUvPolicy(uvPolicy),
    wheelhouse: wheelhouse === undefined ? undefined : path.resolve(wheelhouse),
  };
  return wheelsOf(parts, reporter, signal);
}

async function write(
  request: PackageRequest,
  { names, servers, dataset, wheels }: Parts,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<PackageReport> {
  const filesets = { environment: '', dataset: '' };
  const { folder, format, target, model = NO_MODEL } = request;
  const written = await writeWhole(
    path.resolve(folder),
    {
      files: packageFiles(environmentOf(request, servers), wheels?.files ?? [], dataset, reporter),
      last: (staged) => {
        assertRows(dataset);
        Object.assign(filesets, filesetNames(request, names, staged));
        return [{ path: JOB, content: jobText({ ...request, model, servers, ...filesets }) }];
      },
      record: () => ({
        package: format,
        target,
        servers: [...names],
        ...filesets,
        ...(wheels && { wheels: wheels.input }),
      }),
      check: (staged) => assertAccepted(path.join(staged, ENVIRONMENT), request),
    },
    { ...request, signal },
  );
  return reportOf(request, { names, servers, dataset, wheels }, filesets, written);
}

/** @throws UserError that lists everything that NeMo Platform or NeMo Gym would reject */
async function assertAccepted(environment: string, { target, pin }: PackageRequest): Promise<void> {
  const pins = { ...IMAGE_PINS, ...Object.fromEntries(parsePins(pin)) };
  const found = judgePackage(await readPackage(environment, { target, pins }));
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  throw new UserError('a job would reject the package; nothing was written', {
    details: errors.map((finding) => `${finding.at.file}: ${describe(finding)}`),
    fix: "correct the server's folder in the Gym root",
  });
}

function environmentOf({ format, target, maxTokens }: PackageRequest, servers: readonly PackagedServer[]): WholeFile[] {
  const name = baseName(servers.map((server) => server.name));
  if (format === 'adapter-wheels-v1') return adapterFiles(name, servers, maxTokens);
  return environmentFiles({ format, target, name, servers });
}

async function* packageFiles(
  environment: readonly WholeFile[],
  wheels: readonly WholeFile[],
  dataset: Dataset,
  reporter: Reporter,
): AsyncGenerator<WholeFile> {
  for (const file of environment) yield { ...file, path: ENVIRONMENT + file.path };
  yield* wheels;
  for (const { path: file, rows } of dataset.files) {
    reporter.progress({ phase: 'step', what: `reading the rows of ${file}` });
    yield { path: DATASET + file, bytes: rows.bytes() };
  }
}

/** @throws UserError if a file of rows would be empty, which a job rejects */
function assertRows(dataset: Dataset): void {
  const empty = dataset.files.find(({ rows }) => rows.count === 0)?.path;
  if (empty === undefined) return;
  throw new UserError(`${empty} would have no rows, which a job rejects`, {
    fix: empty === TRAINING ? 'choose another split: --train SPLIT' : 'choose another split or a larger share',
  });
}

/** Names end with a digest of the content: an upload only adds files, and a job rejects old wheels beside new ones. */
function filesetNames(
  { fileset }: PackageRequest,
  names: readonly string[],
  staged: readonly FileFacts[],
): FilesetNames {
  if (fileset !== undefined) return { environment: fileset, dataset: rowsName(fileset) };
  const base = baseName(names);
  const digest = (part: string) => digestOf(staged.filter((file) => file.path.startsWith(part)));
  return { environment: `${base}-${digest(ENVIRONMENT)}`, dataset: `${rowsName(base)}-${digest(DATASET)}` };
}

function reportOf(
  request: PackageRequest,
  { names, servers, dataset }: Parts,
  filesets: FilesetNames,
  written: WholeWritten,
): PackageReport {
  const { folder, workspace, target, fileset } = request;
  const filesOf = (part: string) =>
    written.files
      .filter((file) => file.path.startsWith(part))
      .map((file) => ({ ...file, path: file.path.slice(part.length) }));
  const { entries } = written;
  return {
    ...written,
    folder,
    servers: [...names],
    environment: { name: filesets.environment, files: filesOf(ENVIRONMENT) },
    dataset: { name: filesets.dataset, files: filesOf(DATASET) },
    rows: dataset.files.map(({ path: file, rows }) => ({ path: file, rows: rows.count })),
    leftOut: servers.flatMap(({ name, leftOut }) => leftOut.map((file) => ({ ...file, path: `${name}/${file.path}` }))),
    warnings: servers.flatMap(({ warnings }) => warnings),
    notes: packageNotes(request, servers, dataset),
    commands: jobCommands({ folder, workspace, target, names: filesets, isNamed: fileset !== undefined, entries }),
  };
}
