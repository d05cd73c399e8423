import { GLIBC, PLATFORMS, PYTHON } from '../../rules/index.js';
import type { Platform } from '../types.js';

/** The parts of a wheel's file name (PEP 427). */
export interface WheelName {
  file: string;
  /** Normalized (PEP 503). */
  project: string;
  version: string;
  pythons: string[];
  abis: string[];
  platforms: string[];
}

/** Undefined if the text is not the file name of a wheel. */
export function wheelName(file: string): WheelName | undefined {
  const parts = file.endsWith('.whl') ? file.slice(0, -'.whl'.length).split('-') : [];
  if ((parts.length !== 5 && parts.length !== 6) || parts.includes('')) return undefined;
  const [project = '', version = ''] = parts;
  const [pythons = '', abis = '', platforms = ''] = parts.slice(-3);
  return {
    file,
    project: project.toLowerCase().replace(/[-_.]+/g, '-'),
    version,
    pythons: pythons.split('.'),
    abis: abis.split('.'),
    platforms: platforms.split('.'),
  };
}

/** The minor versions of CPython 3 and of glibc 2 in the training image. */
const MINOR = Number(PYTHON.split('.')[1]);
const GLIBC_MINOR = Number(GLIBC.split('_')[1]);

/** Whether the image's CPython on the cluster's nodes can install a wheel. */
export function fits({ pythons, abis, platforms }: WheelName, platform: Platform): boolean {
  return pythons.some((python) => abis.some((abi) => fitsPython(python, abi))) && platforms.some(isPlatform(platform));
}

function fitsPython(python: string, abi: string): boolean {
  const minor = Number(/^(?:cp|py)3(\d+)$/.exec(python)?.[1]);
  if (abi === 'none') return python === 'py3' || (python.startsWith('py3') && minor <= MINOR) || minor === MINOR;
  if (abi === 'abi3') return python.startsWith('cp') && minor <= MINOR;
  return python === `cp3${MINOR}` && abi === python;
}

const isPlatform = (platform: Platform) => (tag: string) =>
  tag === 'any' || (tag.endsWith(`_${PLATFORMS[platform]}`) && isLinux(tag));

function isLinux(tag: string): boolean {
  const glibc = /^manylinux_2_(\d+)_/.exec(tag)?.[1];
  return glibc === undefined ? /^(?:linux|manylinux(?:1|2010|2014))_/.test(tag) : Number(glibc) <= GLIBC_MINOR;
}
