import type { DatasetOptions, Format, Platform, Target } from '../platform/index.js';

export interface PackageRequest extends DatasetOptions {
  gymRoot: string;
  /** Names of the servers; may be empty if the root has only one. */
  names: readonly string[];
  /** Folder of the package. */
  folder: string;
  format: Format;
  target: Target;
  /** Files that gymgen did not write, by their path in the server's folder. */
  carry: readonly string[];
  urlIsReachable: boolean;
  /** Architecture of the cluster's nodes. */
  platform: Platform;
  /** Values of `--pin`. */
  pin: readonly string[];
  /** Folder with all wheels; undefined for a package index. */
  wheelhouse?: string;
  /** NeMo RL's pyproject.toml. */
  uvPolicy?: string;
  /** Upper bound on the tokens that the verifiers agent generates per call. */
  maxTokens: number;
  /** Name of the environment's file set, instead of one that ends with a digest. */
  fileset?: string;
  workspace: string;
  /** Reference of the model to train. */
  model?: string;
  /** Compare with the existing package, and write nothing. */
  isDryRun: boolean;
  /** Replace files of the package that were edited by hand. */
  force: boolean;
}
