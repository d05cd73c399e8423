// Generated from src/documents/schemas/. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run --project unit test/docs

import type {
  BatchJob,
  CheckedFolder,
  CheckFailure,
  Counts,
  Datasets,
  FailedFolder,
  Finding,
  PlannedFile,
  Split,
  UpdatedFolder,
} from './result-parts.js';

/** The result of `write`. */
export interface WriteResult {
  /** `planned`: with `--dry-run` */
  status: 'wrote' | 'unchanged' | 'planned';
  /** Absolute path of the folder */
  folder: string;
  /** Name of the server */
  name: string;
  /** Name of the environment */
  environment: string;
  rows: Split[];
  toolsets: {
    /** `toolset:NAME`, `agent:NAME` or `task:ID` */
    key: string;
    /** Names of the tools */
    tools: string[];
    /** Number of turns that were probed */
    turns: number;
  }[];
  /** The datasets in the config, if there are any */
  datasets?: Datasets | undefined;
  /** Facts and decisions of the run */
  notes: string[];
  /** With `--strict`, warnings are errors */
  warnings: Finding[];
  /** Settings of the existing config that were kept, by name */
  kept: Record<string, string | number>;
  counts: Counts;
  /** Every file of the folder; with `--dry-run` */
  plan?: PlannedFile[] | undefined;
  /** The first row, as the text of its line; with `--dry-run` */
  row?: string | null | undefined;
}

/** The result of `check`. */
export interface CheckResult {
  /** `failed`: a folder could not be compared */
  status: 'same' | 'differs' | 'failed';
  folders: CheckedFolder[];
  /** Folders that could not be compared */
  failures?: CheckFailure[] | undefined;
}

/** The result of `update`. */
export interface UpdateResult {
  folders: (UpdatedFolder | FailedFolder)[];
}

/** The result of `batch`. */
export interface BatchResult {
  jobs: BatchJob[];
}

/** The result of `record`. */
export interface RecordResult {
  status: 'recorded';
  /** The recording, as passed */
  file: string;
  /** Name of the environment */
  environment: string;
  splits: {
    /** Name of the split */
    name: string;
    /** Number of tasks read */
    count: number;
  }[];
  /** Number of toolsets */
  toolsets: number;
}

/** The result of `inspect`. */
export interface InspectResult {
  /** Name of the environment */
  envName: string;
  /** Name that the written server would have */
  name: string;
  /** `action`: one action, which becomes the tool `step` */
  interface: 'tools' | 'action';
  splits: {
    /** Name of the split */
    name: string;
    /** Number of tasks read */
    count: number;
    /** Length of the prompts in characters */
    prompts: {
      shortest: number;
      mean: number;
      longest: number;
    };
  }[];
  toolsets: {
    /** `toolset:NAME`, `agent:NAME` or `task:ID` */
    key: string;
    /** Tasks that were probed */
    tasks: {
      split: string;
      /** Position in the split, from 0 */
      index: number;
      /** The server's id of the task */
      id: string;
      /** Arguments of the reset, a JSON object as text */
      reset?: string | undefined;
    }[];
    /** Tools of each turn */
    turns: {
      name: string;
      description: string;
      /** JSON schema of the arguments, as text, so that numbers keep their spelling */
      parameters: string;
    }[][];
  }[];
  /** Facts and decisions of the run */
  notes: string[];
  /** Problems that NeMo Gym would reject */
  refused: Finding[];
  warnings: Finding[];
  counts: Counts;
}
