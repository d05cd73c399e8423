import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  offlineUvFlags,
  type PackageFacts,
  type PackagePlatform,
  type Proof,
  requirementLines,
  VENV_CONSTRAINTS,
  venvRequirements,
  WHEELS,
} from '../rules/index.js';
import { reasonOf, type Uv } from './uv.js';
import { wheelFiles } from './wheels.js';

/** Simulates the first install of a job: all wheels at once. */
export async function proveWheels(
  uv: Uv,
  root: string,
  { entries }: Pick<PackageFacts, 'entries'>,
  platform: PackagePlatform,
): Promise<Proof> {
  const wheels = wheelFiles(entries).map((file) => join(root, file));
  const flags = offlineUvFlags(join(root, WHEELS), platform);
  const args = ['pip', 'install', '--dry-run', '--target', join(uv.folder, 'none'), ...flags, ...wheels];
  return { install: 'wheels', file: WHEELS, reason: await failureOf(uv, args, root) };
}

/** Simulates the second install: the venvs of the image's own servers, and those of the package. */
export async function proveVenvs(
  uv: Uv,
  root: string,
  { manifest, servers, pins }: Pick<PackageFacts, 'manifest' | 'servers' | 'pins'>,
  platform: PackagePlatform,
): Promise<Proof[]> {
  const format = manifest?.format ?? 'wheels-v1';
  const base = [...venvRequirements(format, pins), ...(format === 'adapter-wheels-v1' ? ['verifiers'] : [])];
  const prove = async (file: string, requirements: readonly string[]): Promise<Proof> => {
    const constraints = join(uv.folder, 'constraints.txt');
    const input = join(uv.folder, 'requirements.in');
    await writeFile(constraints, `${VENV_CONSTRAINTS.join('\n')}\n`);
    await writeFile(input, `${requirements.join('\n')}\n`);
    const flags = offlineUvFlags(join(root, WHEELS), platform);
    const args = ['pip', 'compile', ...flags, '--constraint', constraints, input, '--output-file', `${input}.txt`];
    return { install: 'venv', file, reason: await failureOf(uv, args, root) };
  };
  const image = await prove(WHEELS, base);
  if (image.reason !== undefined) return [image]; // the venvs of the package fail for the same reason
  const proofs = [image];
  for (const { path, requirements = '' } of servers) {
    const own = requirementLines(requirements).filter(({ kind }) => kind === 'project');
    if (own.length === 0) continue;
    proofs.push(await prove(`${path}/requirements.txt`, [...base, ...own.map(({ text }) => text)]));
  }
  return proofs;
}

async function failureOf(uv: Uv, args: string[], root: string): Promise<string | undefined> {
  const { isDone, stderr } = await uv.run(args);
  return isDone ? undefined : reasonOf(stderr, [uv.folder, root]);
}
