import { resolve } from 'node:path';
import { UserError } from '../errors.js';
import { OverLimit } from '../limits.js';
import type { OnProgress } from '../reporter.js';
import {
  findingOf,
  IMAGE_PINS,
  MANIFEST,
  OVER_LIMIT,
  type PackageFacts,
  type PackagePlatform,
  type PackageTarget,
  type RowContext,
  type RuleFinding,
} from '../rules/index.js';
import { findUv } from '../source/index.js';
import {
  Collector,
  type Found,
  judgeDataset,
  judgePackage,
  judgeRoot,
  judgeRootRows,
  judgeSources,
  judgeWheels,
  type LiveRequest,
  NO_CONFIGS,
  type PackageOptions,
  parseWithGym,
  readPackage,
  readRoot,
  rowContext,
  type Target,
  targetAt,
  withLiveTasks,
} from '../validate/index.js';

export interface ValidateRequest {
  /** Gym roots, folders of servers, packages and datasets. */
  targets: readonly string[];
  /** The package that rows are checked against. Default: the first package among the targets. */
  packageOfRows?: string;
  target?: PackageTarget;
  platform?: PackagePlatform;
  /** Whether to ask the OpenEnv server of each config for its splits, tasks and tools. */
  live?: boolean;
  /** HTTP headers for these servers. */
  headers?: Record<string, string>;
  /** Whether a warning counts as an error. */
  strict?: boolean;
  /** Python with nemo-gym, for configs that only Gym's parser resolves. */
  python?: string;
  /** `name==version`, or several with commas. */
  pins?: readonly string[];
}

/** The findings of one target. */
export interface Judged {
  kind: 'root' | 'server' | 'package' | 'dataset';
  /** As passed. */
  path: string;
  /** In the order of the rules. */
  findings: readonly Found[];
  /** Files of rows, and how many lines each has. */
  rows: readonly { file: string; rows: number }[];
  /** What could not be judged, and why. */
  notJudged: readonly string[];
}

export interface ValidateReport {
  targets: readonly Judged[];
  errors: number;
  warnings: number;
}

/**
 * Checks Gym roots, packages and datasets. Runs, builds and fetches nothing.
 * @param progress called now and then with what is being done
 * @throws UserError if a target cannot be read or is none of these
 */
export async function validate(
  request: ValidateRequest,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<ValidateReport> {
  const targets: Target[] = [];
  for (const path of request.targets) targets.push(await targetAt(path));
  const options = { target: request.target ?? 'grpo', pins: pinsOf(request.pins ?? []) } as const;
  const asked = { notJudged: [] as string[], unreachable: [] as RuleFinding[] };
  const live = request.live ? liveRequest(asked, request.headers ?? {}, progress, signal) : undefined;
  const context = await contextOf(request, targets, options, live);
  const uv = await findUv();
  const judged: Judged[] = [];
  for (const target of targets) {
    progress({ phase: 'step', what: `validating ${target.shown}` });
    const work: Work = {
      ...{
        found: new Collector(),
        notJudged: [],
        rows: [],
        options,
        context,
        uv,
        signal,
        live,
        python: request.python,
      },
      platform: request.platform ?? 'linux/amd64',
      progress: (done) => progress({ phase: 'read', from: target.shown, unit: 'rows', done }),
    };
    await withinLimits(work.found, () => judgeTarget(target, work));
    const kind = target.kind === 'root' && target.only !== undefined ? 'server' : target.kind;
    const { rows, found } = work;
    found.add(asked.unreachable.splice(0));
    const notJudged = [...work.notJudged, ...asked.notJudged.splice(0)];
    const findings = request.strict ? found.list.map(asError) : found.list;
    judged.push({ kind, path: target.shown, findings, rows, notJudged });
  }
  return { targets: judged, errors: count(judged, 'error'), warnings: count(judged, 'warning') };
}

function asError(finding: Found): Found {
  return { ...finding, severity: 'error' };
}

function liveRequest(
  asked: { notJudged: string[]; unreachable: RuleFinding[] },
  headers: Record<string, string>,
  progress: OnProgress,
  signal: AbortSignal,
): LiveRequest {
  return {
    ...{ headers, signal, progress },
    notJudged: (reason) => void asked.notJudged.push(reason),
    unreachable: (finding) => void asked.unreachable.push(finding),
  };
}

/** What the judges of a target need, and what they find. */
interface Work {
  found: Collector;
  notJudged: string[];
  rows: { file: string; rows: number }[];
  options: PackageOptions;
  context: RowContext;
  uv: string | undefined;
  platform: PackagePlatform;
  python: string | undefined;
  live: LiveRequest | undefined;
  signal: AbortSignal;
  progress: (rows: number) => void;
}

function judgeTarget(target: Target, work: Work): Promise<void> {
  if (target.kind === 'root') return judgeRootTarget(target.path, target.only, work);
  return target.kind === 'package' ? judgePackageTarget(target.path, work) : judgeDatasetTarget(target, work);
}

async function judgeDatasetTarget({ path, isFolder }: Target & { kind: 'dataset' }, work: Work): Promise<void> {
  work.rows.push(...(await judgeDataset(path, isFolder, work, work.found)));
}

async function judgePackageTarget(root: string, work: Work): Promise<void> {
  const facts = await readPackage(root, work.options);
  const known = judgePackage(facts);
  work.found.add(known);
  const { findings, notJudged } = await judgeWheels(facts, known, { ...work, root });
  work.found.add(findings);
  if (notJudged !== undefined) work.notJudged.push(notJudged);
  const isPartial = facts.instances.some((one) => one.isPartial);
  await judgePartial(root, facts, isPartial ? [facts.manifest?.configPaths ?? []] : [], true, work);
}

async function judgeRootTarget(root: string, only: string | undefined, work: Work): Promise<void> {
  const facts = await readRoot(root, only);
  work.found.add(judgeRoot(facts));
  const { findings, notJudged } = await judgeSources(facts.servers, { ...work, root });
  work.found.add(findings);
  if (notJudged !== undefined) work.notJudged.push(notJudged);
  const partial = facts.files.filter(({ file }) =>
    facts.instances.some((one) => one.isPartial && one.config.file === file),
  );
  await judgePartial(
    root,
    facts,
    partial.map(({ file }) => [file]),
    false,
    work,
  );
  work.rows.push(...(await judgeRootRows(root, facts, work, work.found)));
}

/** Instances that other configs complete: Gym's parser judges them, or they are named. */
async function judgePartial(
  root: string,
  { instances }: Pick<PackageFacts, 'instances'>,
  groups: readonly (readonly string[])[],
  isComplete: boolean,
  { python, found, notJudged, signal }: Work,
): Promise<void> {
  if (groups.length === 0) return;
  if (python !== undefined) {
    found.add(await parseWithGym({ root, python, groups, isComplete, signal }));
    return;
  }
  for (const { name, config } of instances.filter(({ isPartial }) => isPartial)) {
    notJudged.push(`instance ${name} of ${config.file}: only NeMo Gym resolves it; pass --python`);
  }
}

/** Input over one of gymgen's limits is a finding, and the rest of the target is not judged. */
async function withinLimits(found: Collector, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    const fix = error.fix ?? 'reduce it';
    found.add([findingOf(OVER_LIMIT, { at: { file: '' }, subject: 'input', problem: error.message, fix })]);
  }
}

async function contextOf(
  { packageOfRows }: ValidateRequest,
  targets: readonly Target[],
  options: PackageOptions,
  live: LiveRequest | undefined,
): Promise<RowContext> {
  const root =
    packageOfRows === undefined ? targets.find(({ kind }) => kind === 'package')?.path : resolve(packageOfRows);
  if (root === undefined || !targets.some(({ kind }) => kind === 'dataset')) return NO_CONFIGS;
  if (packageOfRows !== undefined && (await targetAt(packageOfRows)).kind !== 'package') {
    throw new UserError('not a package', { where: packageOfRows, fix: `name a folder with ${MANIFEST}` });
  }
  const facts = await readPackage(root, options);
  if (facts.files.length === 0) return NO_CONFIGS;
  const context = await rowContext(root, facts, facts.manifest, true);
  return live === undefined ? context : withLiveTasks(context, facts.instances, live);
}

function count(judged: readonly Judged[], severity: 'error' | 'warning'): number {
  const all = judged.flatMap(({ findings }) => findings.filter((one) => one.severity === severity));
  return all.reduce((sum, { more }) => sum + 1 + more, 0);
}

/** The versions of the image: the known ones, with those of `--pin`. */
function pinsOf(pins: readonly string[]): Record<string, string> {
  const found = { ...IMAGE_PINS };
  for (const pin of pins.flatMap((one) => one.split(','))) {
    const [, name, version] = /^([\w.-]+)==([\w.!+-]+)$/.exec(pin.trim()) ?? [];
    const project = name?.toLowerCase().replace(/[-_.]+/g, '-') ?? '';
    if (version === undefined || !Object.hasOwn(found, project)) {
      const known = Object.keys(IMAGE_PINS).join(', ');
      throw new UserError('invalid option value', { details: [`--pin ${pin}`], fix: `use NAME==VERSION of ${known}` });
    }
    found[project] = version;
  }
  return found;
}
