import { UserError } from '../../errors.js';
import { IMAGE_PINS } from '../../rules/index.js';
import { nameOf } from '../requirements.js';

/** Versions of packages, by name. */
export type Pins = ReadonlyMap<string, string>;

/** What the adapter's environment is written for: verifiers 0.4.0 dropped this API. */
const VERIFIERS = 'verifiers==0.3.1';

/** The command that prints the pins of an image, as in NeMo Platform's docs. */
export const READ_PINS = `docker run --rm IMAGE sh -c '$(ls -d /opt/ray_venvs/*NemoGym*/bin/python | head -1) -c "import importlib.metadata as m; print(*(p + chr(61)*2 + m.version(p) for p in (\\"nemo-gym\\", \\"ray\\", \\"openai\\")), sep=chr(44))"'`;

/**
 * Reads the values of `--pin`.
 * @throws UserError if one is not NAME==VERSION, or if a package is pinned twice
 */
export function parsePins(values: readonly string[]): Pins {
  const pins = new Map<string, string>();
  for (const value of values.flatMap((all) => all.split(',')).map((one) => one.trim())) {
    const [, name, version] = /^([A-Za-z0-9][\w.-]*)==([\w.!+-]+)$/.exec(value) ?? [];
    if (name === undefined || version === undefined) {
      throw new UserError(`not a pin: ${JSON.stringify(value)}`, { where: '--pin', fix: 'write NAME==VERSION' });
    }
    if (pins.has(nameOf(name))) {
      throw new UserError(`pinned twice: ${nameOf(name)}`, { where: '--pin', fix: 'pass one version of it' });
    }
    pins.set(nameOf(name), version);
  }
  return pins;
}

/**
 * What the wheels of a package must satisfy: the image's servers, which Gym installs from the package, and the written servers.
 * Source: `setup_env_command` in nemo_gym/cli/setup_command.py (0.7.0). hydra-core 1.3 needs omegaconf 2.3's antlr, and
 * pkg_resources, which setuptools 81 dropped.
 * @param own requirements of the written servers
 */
export function requirementsOf(own: readonly string[], pins: Pins, isAdapter: boolean): string[] {
  const versions = new Map([...Object.entries(IMAGE_PINS), ...pins]);
  const others = [...pins].filter(([name]) => IMAGE_PINS[name] === undefined);
  return [
    `nemo-gym[dev]==${versions.get('nemo-gym')}`,
    `ray[default]==${versions.get('ray')}`,
    `openai==${versions.get('openai')}`,
    'pip',
    'setuptools>=61,<81',
    'setuptools-scm',
    'hydra-core>=1.3,<1.4',
    'omegaconf>=2.2,<2.4',
    ...(isAdapter && !pins.has('verifiers') ? [VERIFIERS] : []),
    ...own,
    ...others.map(([name, version]) => `${name}==${version}`),
  ];
}

/** The image's packages whose versions are gymgen's assumption. */
export function assumedPins(pins: Pins): string[] {
  return Object.entries(IMAGE_PINS)
    .filter(([name]) => !pins.has(name))
    .map(([name, version]) => `${name}==${version}`);
}
