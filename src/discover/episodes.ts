import { chosenSplits } from './chosen-splits.js';
import { DEFAULT_SPLIT, type GivenOptions, type GivenTask, type GivenTasks } from './given-tasks.js';

export interface EpisodesRequest {
  /** How many. */
  episodes: number;
  /** Of the first; each later one has the next. */
  seed: number;
  /** The reset's keyword argument that takes it. */
  seedKey: string;
}

const PAGE = 256;

/** Episodes that differ in their seeds. */
export function episodes({ episodes, seed, seedKey }: EpisodesRequest, { splits, limit }: GivenOptions): GivenTasks {
  const [name = DEFAULT_SPLIT] = chosenSplits([DEFAULT_SPLIT], splits);
  const count = Math.min(episodes, limit);
  const task = (index: number): GivenTask => ({
    split: name,
    index,
    id: `${name}-${index}`,
    reset: JSON.stringify({ [seedKey]: seed + index }),
  });
  return {
    splits: [{ name, count }],
    varied: `values of '${seedKey}'`,
    async *tasks() {
      for (let start = 0; start < count; start += PAGE) {
        yield Array.from({ length: Math.min(PAGE, count - start) }, (_, offset) => task(start + offset));
      }
    },
  };
}
