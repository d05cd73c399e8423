import type { PackageFormat, PackageTarget, ServerType } from './formats.js';

/** A YAML file that could be read. */
export interface YamlFile {
  /** Path below the root of the target. */
  file: string;
  value: unknown;
  /** Line of a value, by its keys; undefined if it is not written there. */
  line(keys: readonly (string | number)[]): number | undefined;
  /** Keys that a map has twice. */
  repeated: readonly { key: string; line: number }[];
}

/** A file whose content could not be read. */
export interface UnreadableFile {
  file: string;
  /** Completes `file …`: `is not valid YAML: …`. */
  problem: string;
  line?: number | undefined;
}

/** An entry of a folder. */
export interface Entry {
  /** Path below the root, with `/`. */
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes of a file; 0 for other entries. */
  size: number;
  /** Where a link leads. */
  target?: 'file' | 'folder' | 'outside' | 'nowhere';
}

export interface Manifest extends YamlFile {
  value: Record<string, unknown>;
  /** Undefined if it is missing or unknown. */
  format: PackageFormat | undefined;
  /** The entries of `config_paths` that are strings. */
  configPaths: readonly string[];
}

/** One top-level entry of a Gym config that starts a server. */
export interface Instance {
  name: string;
  config: YamlFile;
  /** Its server types, in order. */
  types: readonly ServerType[];
  /** The first server type. */
  type: ServerType;
  /** The implementations of the first type, in order. */
  implementations: readonly string[];
  /** The settings of the first implementation. */
  settings: Readonly<Record<string, unknown>>;
  /** Keys that lead to the settings. */
  keys: readonly string[];
  /** Whether it uses a directive that only Gym's parser resolves. */
  isPartial: boolean;
}

/** A folder whose program Gym starts: `resources_servers/weather`. */
export interface ServerFolder {
  /** Path below the root. */
  path: string;
  type: ServerType;
  name: string;
  /** Names of its files, links to files included. */
  files: ReadonlySet<string>;
  /** The text of requirements.txt. */
  requirements: string | undefined;
}

/** The configs that Gym merges. */
export interface Configs {
  files: readonly YamlFile[];
  instances: readonly Instance[];
  servers: readonly ServerFolder[];
  /** Instances that others define, which a reference may name. */
  others: ReadonlySet<string>;
}

/** A package, as far as it could be read. */
export interface PackageFacts extends Configs {
  target: PackageTarget;
  pins: Readonly<Record<string, string>>;
  entries: readonly Entry[];
  manifest: Manifest | undefined;
  /** Files that could not be read. */
  unreadable: readonly UnreadableFile[];
}

/** The facts about a wheel, from its name and its content. */
export interface Wheel {
  /** Name of the file. */
  file: string;
  /** Normalized name and version from the file name; undefined if the name is not that of a wheel. */
  project?: string;
  version?: string;
  /** Top-level modules. */
  modules?: readonly string[];
  /** What is wrong, by the code of the rule. */
  faults: readonly { code: string; problem: string }[];
}

export interface WheelFacts {
  wheels: readonly Wheel[];
  platform: string;
  pins: Readonly<Record<string, string>>;
  manifest: Manifest;
}
