import type { Place } from './blocks.js';
import type { Rollout } from './rollout.js';

/** A rollout of one of the files, with the place of its conversation. */
export interface Listed {
  rollout: Rollout;
  file: number;
  /** Missing if the conversation was left out. */
  place: Place | undefined;
}

/** The rollouts for the page's script, column by column, worst first. */
export function columnsOf(all: readonly Listed[]): {
  columns: object;
  kinds: string[];
  tools: string[];
  tasks: number;
} {
  const numbers = taskNumbers(all);
  const [kinds, tools] = [new Names(), new Names()];
  const listed = [...all].sort((one, other) => {
    return (
      worth(one.rollout) - worth(other.rollout) ||
      numberOf(numbers, one) - numberOf(numbers, other) ||
      one.file - other.file ||
      one.rollout.line - other.rollout.line
    );
  });
  const column = <T>(of: (each: Listed) => T): T[] => listed.map(of);
  const columns = {
    file: column(({ file }) => file),
    line: column(({ rollout }) => rollout.line),
    task: column((each) => numberOf(numbers, each)),
    label: column(({ rollout }) => rollout.label),
    reward: column(({ rollout }) => rollout.reward ?? null),
    mask: column(({ rollout: { mask } }) => (mask ? kinds.numberOf(mask.kind) : -1)),
    calls: column(({ rollout }) => rollout.calls.map((name) => tools.numberOf(name))),
    turns: column(({ rollout }) => rollout.turns),
    generated: column(({ rollout }) => rollout.generated ?? null),
    prompt: column(({ rollout }) => rollout.prompt ?? null),
    sequence: column(({ rollout }) => rollout.sequence ?? null),
    block: column(({ place }) => place?.[0] ?? -1),
    at: column(({ place }) => place?.[1] ?? -1),
  };
  return { columns, kinds: kinds.all, tools: tools.all, tasks: numbers.size };
}

/** Masked rollouts are the worst, then those without a reward. */
function worth({ mask, reward }: Rollout): number {
  if (mask) return -Number.MAX_VALUE;
  return reward ?? -Number.MAX_VALUE / 2;
}

function numberOf(numbers: ReadonlyMap<string, number>, { rollout }: Listed): number {
  return numbers.get(rollout.task) as number;
}

/** Numbers the tasks of all files by split and row. */
function taskNumbers(all: readonly Listed[]): Map<string, number> {
  const first = new Map<string, Rollout>();
  for (const { rollout } of all) if (!first.has(rollout.task)) first.set(rollout.task, rollout);
  const tasks = [...first.values()].sort((one, other) => {
    return (
      compare(one.split ?? '', other.split ?? '') ||
      (one.index ?? one.line) - (other.index ?? other.line) ||
      compare(one.label, other.label)
    );
  });
  return new Map(tasks.map(({ task }, at) => [task, at]));
}

function compare(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** Names that repeat, by number. */
class Names {
  readonly all: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
}
