import type { PackageFormat, PackagePlatform, PackageTarget } from '../rules/index.js';

export type Format = PackageFormat;
export type Target = PackageTarget;
export type Platform = PackagePlatform;

/** A wheel that gymgen has built for the package. */
export interface OwnWheel {
  file: string;
  content: Buffer;
  /** What it requires. */
  requires: readonly string[];
  /** The requirement that it satisfies, if a server's venv installs it. */
  requirement?: string;
}

/** A file of the written folder that goes into the package unchanged. */
export interface CarriedFile {
  /** Path in the package's server folder. */
  path: string;
  /** Absolute path of the file. */
  copy: string;
}

/** The parts of a written folder's config that a package needs. */
export interface ServerSettings {
  url: string | undefined;
  bundle: string | undefined;
  /** Values of the headers that the bridge sends; they name environment variables. */
  headers: readonly string[];
  /** Upper bound on the agent's model calls in a rollout. */
  maxSteps: number | undefined;
  /** The keys of the resources server's block that reach the bridge. Strings have OmegaConf's escapes. */
  block: Readonly<Record<string, unknown>>;
}

/** One resources server of a package. */
export interface PackagedServer {
  name: string;
  /** Absolute path of the written folder. */
  folder: string;
  settings: ServerSettings;
  /** Text of the config for the package. */
  config: string;
  /** Requirements besides NeMo Gym. */
  requirements: readonly string[];
  files: readonly CarriedFile[];
  /** Wheels of the server, which only wheels-v1 has. */
  wheels: readonly OwnWheel[];
  /** Files of the written folder that stay out, with the reason. */
  leftOut: readonly { path: string; why: string }[];
  /** Files that were edited by hand, and go in as they are. */
  edited: readonly string[];
  /** What the user should know. */
  warnings: readonly string[];
}
