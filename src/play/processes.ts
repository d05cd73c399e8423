import { readdir, readFile, readlink, stat } from 'node:fs/promises';

/** Every process of a run has this variable in its environment: the path of the run's folder. */
export const MARK = 'GYMGEN_PLAY_RUN';

export interface RunningProcess {
  pid: number;
  /** Process group. */
  group: number;
  /** The value of `MARK`, if the process has it. */
  mark?: string;
  /** Current folder, even if it has been removed. */
  folder: string;
}

/**
 * The running processes of this user in the same mount namespace: a path in a container is a different file. Empty on
 * systems without /proc.
 */
export async function ownProcesses(): Promise<RunningProcess[]> {
  const names = await readdir('/proc').catch(() => []);
  const mounts = await mountsOf('self').catch(() => '');
  const all = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => processAt(name, mounts)));
  return all.flatMap((process) => process ?? []);
}

/** The mount namespace of a process. */
const mountsOf = (name: string) => readlink(`/proc/${name}/ns/mnt`);

/** @returns undefined if the process has ended, or is not one of `ownProcesses` */
async function processAt(name: string, mounts: string): Promise<RunningProcess | undefined> {
  try {
    const at = `/proc/${name}`;
    if ((await stat(at)).uid !== process.getuid?.() || (await mountsOf(name)) !== mounts) return undefined;
    const [status, environment, folder] = await Promise.all([
      readFile(`${at}/stat`, 'utf8'),
      readFile(`${at}/environ`, 'utf8'),
      readlink(`${at}/cwd`),
    ]);
    // The name of the program, in parentheses, may itself contain spaces and parentheses.
    const [state, , group] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || group === undefined) return undefined;
    const mark = environment
      .split('\0')
      .find((variable) => variable.startsWith(`${MARK}=`))
      ?.slice(MARK.length + 1);
    return { pid: Number(name), group: Number(group), folder, ...(mark === undefined ? {} : { mark }) };
  } catch {
    return undefined;
  }
}

/**
 * The processes of a run: those with its mark, those in its folder, and the other processes in their groups. Ray renames its
 * workers, which overwrites their environment.
 * @param run path of the run's folder
 */
export function processesOf(run: string, all: readonly RunningProcess[]): RunningProcess[] {
  const isInside = ({ folder }: RunningProcess) => folder.startsWith(`${run}/`);
  const marked = all.filter((process) => process.mark === run || (process.mark === undefined && isInside(process)));
  const groups = new Set(marked.map(({ group }) => group));
  return all.filter((process) => marked.includes(process) || (process.mark === undefined && groups.has(process.group)));
}

/** Ends processes at once. Some may have ended already. @returns how many there were */
export function killAll(processes: readonly RunningProcess[]): number {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // ended meanwhile
    }
  }
  return processes.length;
}
