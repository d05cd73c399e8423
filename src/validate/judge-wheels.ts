import {
  APP_SYNTAX,
  CLOSURE_RULES,
  findingOf,
  hasWheels,
  judge,
  type PackageFacts,
  type PackagePlatform,
  PYTHON_NOT_JUDGED,
  type RuleFinding,
  type RuleText,
  type ServerFolder,
  WHEEL_RULES,
  WHEELS,
  WHEELS_NOT_JUDGED,
} from '../rules/index.js';
import { proveVenvs, proveWheels } from './closure.js';
import { withUv } from './uv.js';
import { readFiles, type SourceFault, sourceFiles, wheelFiles } from './wheels.js';

export interface WheelsRequest {
  root: string;
  platform: PackagePlatform;
  /** Path of uv; undefined if there is none. */
  uv: string | undefined;
  signal: AbortSignal;
}

export interface FilesJudged {
  findings: RuleFinding[];
  /** What was not judged, and why; undefined if everything was. */
  notJudged?: string;
}

/** Judges the Python files of servers. */
export async function judgeSources(
  servers: readonly ServerFolder[],
  { root, platform, uv, signal }: WheelsRequest,
): Promise<FilesJudged> {
  const sources = sourceFiles(servers);
  if (sources.length === 0) return { findings: [] };
  const unread = (why: string) =>
    notJudged(PYTHON_NOT_JUDGED, { file: sources[0] as string, subject: 'Python files', why });
  if (uv === undefined) return unread(NO_UV);
  const read = await withUv(uv, signal, (one) => readFiles(one, root, { wheels: [], sources }, platform));
  if (typeof read === 'string') return unread(read);
  return { findings: read.sources.map(syntaxFinding) };
}

/** Judges the wheels of a package, whether they are a closure, and its Python files. */
export async function judgeWheels(
  facts: PackageFacts,
  known: readonly RuleFinding[],
  request: WheelsRequest,
): Promise<FilesJudged> {
  const { manifest, pins, entries, servers } = facts;
  if (manifest?.format === undefined || !hasWheels(manifest.format)) return judgeSources(servers, request);
  const wheels = wheelFiles(entries);
  const { root, platform, signal } = request;
  if (wheels.length === 0) return judgeSources(servers, request);
  const unread = (why: string) =>
    notJudged(WHEELS_NOT_JUDGED, { file: WHEELS, subject: 'wheels and Python files', why });
  if (request.uv === undefined) return unread(NO_UV);
  return withUv(request.uv, signal, async (uv) => {
    const read = await readFiles(uv, root, { wheels, sources: sourceFiles(servers) }, platform);
    if (typeof read === 'string') return unread(read);
    const findings = [...judge(WHEEL_RULES, { wheels: read.wheels, platform, pins, manifest })];
    const proofs = [];
    // A wheel that is damaged, or not for the image, makes uv fail with the same reason.
    const isSound = ![...known, ...findings].some((one) => isAboutWheels(one) && !one.code.startsWith('pin-'));
    const hasPins = !findings.some(({ code }) => code.startsWith('pin-'));
    const hasGym = !known.some(({ code }) => code === 'requirements-gym');
    if (isSound) proofs.push(await proveWheels(uv, root, facts, platform));
    const isClosed = proofs.every(({ reason }) => reason === undefined);
    if (isSound && isClosed && hasPins && hasGym) proofs.push(...(await proveVenvs(uv, root, facts, platform)));
    return { findings: [...findings, ...judge(CLOSURE_RULES, proofs), ...read.sources.map(syntaxFinding)] };
  });
}

function isAboutWheels({ severity, at: { file }, code }: RuleFinding): boolean {
  const isWheel = file === WHEELS || file.startsWith(`${WHEELS}/`);
  return severity === 'error' && isWheel && code !== 'adapter-env-missing';
}

const NO_UV = 'uv not found';

function notJudged(
  rule: RuleText,
  { file, subject, why }: { file: string; subject: string; why: string },
): FilesJudged {
  const fix = 'install uv (https://docs.astral.sh/uv/) and Python 3.13, and validate again';
  const problem = `were not judged: ${why}`;
  return { findings: [findingOf(rule, { at: { file }, subject, problem, fix })], notJudged: `${subject}: ${why}` };
}

function syntaxFinding({ file, line, problem }: SourceFault): RuleFinding {
  const name = file.split('/').at(-1) as string;
  const fix = 'correct the file';
  return findingOf(APP_SYNTAX, { at: { file, line }, subject: name, problem: `is not valid Python: ${problem}`, fix });
}
