/** The training image of NeMo Platform (nemo-helix 0.8.1): its Python, its architectures, and what its servers install. */
import type { PackageFormat } from './formats.js';

/** The Python of the image. */
export const PYTHON = '3.13.14';
/** Architectures of the image, by the names that Kubernetes uses. */
export const PLATFORMS = { 'linux/amd64': 'x86_64', 'linux/arm64': 'aarch64' } as const;
export type PackagePlatform = keyof typeof PLATFORMS;
/** The image's glibc, the newest that a wheel may need: `manylinux_2_39`. */
export const GLIBC = '2_39';

/** Flags with which uv resolves for the image from a folder of wheels alone. It reads no config, and builds nothing. */
export function offlineUvFlags(wheels: string, platform: PackagePlatform): string[] {
  const target = ['--python-platform', `${PLATFORMS[platform]}-manylinux_${GLIBC}`, '--python-version', PYTHON];
  const flags = ['--quiet', '--no-config', '--offline', '--no-index', '--only-binary', ':all:'];
  return [...flags, '--find-links', wheels, ...target];
}

/** Versions in the training image of nemo-helix 0.8.1. `--pin` names others. */
export const IMAGE_PINS: Readonly<Record<string, string>> = {
  'nemo-gym': '0.7.0',
  ray: '2.60.0',
  openai: '2.44.0',
};
/** Projects that Gym installs into each server's venv (`SANDBOX_VENV_DISTRIBUTIONS`), except nemo-gym. */
export const VENV_PROJECTS: readonly string[] = ['pip', 'setuptools', 'setuptools-scm', 'ray', 'openai'];
/** Versions with which the servers of the image start. verifiers 0.4 has no `MultiTurnEnv`. */
export const VENV_CONSTRAINTS: readonly string[] = [
  'setuptools>=61,<81',
  'hydra-core>=1.3,<1.4',
  'omegaconf>=2.2,<2.4',
  'verifiers>=0.3.1,<0.4',
];

/** What Gym installs into the venv of a server: the requirements of a closure. */
export function venvRequirements(format: PackageFormat, pins: Readonly<Record<string, string>>): string[] {
  const gym = format === 'adapter-wheels-v1' ? [] : [`nemo-gym[dev]==${pins['nemo-gym']}`];
  return [...gym, `ray[default]==${pins.ray}`, `openai==${pins.openai}`, 'pip', 'setuptools', 'setuptools-scm'];
}
