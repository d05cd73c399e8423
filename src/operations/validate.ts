import { resolve } from 'node:path';
import { UserError } from '../errors.js';
import { OverLimit } from '../limits.js';
import {
  IMAGE_PINS,
  judgement,
  MANIFEST,
  OVER_LIMIT,
  type PackageFacts,
  type PackagePlatform,
  type PackageTarget,
  type RowContext,
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
  NO_CONFIGS,
  readPackage,
  readRoot,
  rowContext,
  type Target,
  targetAt,
} from '../validate/index.js';

export interface ValidateRequest {
  /** Gym roots, folders of servers, packages and datasets. */
  targets: readonly string[];
  /** The package that rows are judged against. Default: the first package among the targets. */
  packageOfRows?: string;
  target?: PackageTarget;
  platform?: PackagePlatform;
  /** `name==version`, or several with commas. */
  pins?: readonly string[];
}

/** What was found in one target. */
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
 * Judges Gym roots, packages and datasets. Nothing of them is run, built or fetched.
 * @param progress called now and then with what is being done
 * @throws UserError if a target cannot be read or is none of these
 */
export async function validate(
  request: ValidateRequest,
  progress: (text: string) => void,
  signal: AbortSignal,
): Promise<ValidateReport> {
  const options = { target: request.target ?? 'grpo', pins: pinsOf(request.pins ?? []) } as const;
  const targets: Target[] = [];
  for (const path of request.targets) targets.push(await targetAt(path));
  const context = await contextOf(request, targets, options);
  const uv = await findUv();
  const judged: Judged[] = [];
  for (const target of targets) {
    const common = { root: target.path, platform: request.platform ?? 'linux/amd64', uv, signal } as const;
    const streamed = { signal, progress: (rows: number) => progress(`${target.shown}: ${rows} rows`) };
    const found = new Collector();
    const notJudged: string[] = [];
    const note = (reason: string | undefined) => reason !== undefined && notJudged.push(reason);
    let rows: Judged['rows'] = [];
    progress(`validating ${target.shown}`);
    await withinLimits(found, async () => {
      if (target.kind === 'dataset') {
        rows = await judgeDataset(target.path, target.isFolder, { ...streamed, context }, found);
      } else if (target.kind === 'package') {
        const facts = await readPackage(target.path, options);
        const known = judgePackage(facts);
        found.add(known);
        for (const name of partialsOf(facts)) note(name);
        const wheels = await judgeWheels(facts, known, common);
        found.add(wheels.findings);
        note(wheels.notJudged);
      } else {
        const facts = await readRoot(target.path, target.only);
        found.add(judgeRoot(facts));
        for (const name of partialsOf(facts)) note(name);
        const sources = await judgeSources(facts.servers, common);
        found.add(sources.findings);
        note(sources.notJudged);
        rows = await judgeRootRows(target.path, facts, streamed, found);
      }
    });
    const kind = target.kind === 'root' && target.only !== undefined ? 'server' : target.kind;
    judged.push({ kind, path: target.shown, findings: found.list, rows, notJudged });
  }
  return { targets: judged, errors: count(judged, 'error'), warnings: count(judged, 'warning') };
}

/** Input over one of gymgen's limits is a finding, and the rest of the target is not judged. */
async function withinLimits(found: Collector, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    const fix = error.fix ?? 'reduce it';
    found.add([judgement(OVER_LIMIT, { at: { file: '' }, subject: 'input', problem: error.message, fix })]);
  }
}

async function contextOf(
  { packageOfRows }: ValidateRequest,
  targets: readonly Target[],
  options: Parameters<typeof readPackage>[1],
): Promise<RowContext> {
  const root =
    packageOfRows === undefined ? targets.find(({ kind }) => kind === 'package')?.path : resolve(packageOfRows);
  if (root === undefined || !targets.some(({ kind }) => kind === 'dataset')) return NO_CONFIGS;
  if (packageOfRows !== undefined && (await targetAt(packageOfRows)).kind !== 'package') {
    throw new UserError('not a package', { where: packageOfRows, fix: `name a folder with ${MANIFEST}` });
  }
  const facts = await readPackage(root, options);
  return facts.files.length === 0 ? NO_CONFIGS : rowContext(root, facts, facts.manifest, true);
}

function partialsOf({ instances }: Pick<PackageFacts, 'instances'>): string[] {
  return instances
    .filter(({ isPartial }) => isPartial)
    .map(({ name, config }) => `instance ${name} of ${config.file}: other configs complete it`);
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
