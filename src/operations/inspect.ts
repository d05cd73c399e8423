import type { Discovery, Split, Toolset } from '../discover/index.js';
import { folder, slug, withDatasets } from '../gym/index.js';
import type { GymRequest } from '../model.js';
import type { Reporter } from '../reporter.js';
import { type Finding, Findings, rewardScore } from '../rules/index.js';
import { openSource, type SourceRequest } from './open-source.js';

export interface InspectRequest extends SourceRequest {
  name?: string;
  gym: GymRequest;
}

/** Lengths of prompts, in characters. */
export interface Lengths {
  shortest: number;
  mean: number;
  longest: number;
}

export interface Inspection {
  envName: string;
  /** Name that the written server would have. */
  name: string;
  interface: 'tools' | 'action';
  splits: (Split & { prompts: Lengths })[];
  toolsets: Toolset[];
  notes: readonly string[];
  /** Problems that NeMo Gym would reject. */
  refused: readonly Finding[];
  /** Problems that only some models' APIs reject, and likely mistakes. */
  warnings: readonly Finding[];
  counts: { sessions: number; requests: number; bytes: number };
}

/**
 * Reads everything that a source serves, and checks it as for a write.
 * @throws UserError if the source cannot be read; the signal's reason if it aborts
 */
export async function inspect(request: InspectRequest, reporter: Reporter, signal: AbortSignal): Promise<Inspection> {
  const { found, server, close } = await openSource({ ...request, trustRecording: true }, reporter, signal);
  try {
    const name = request.name ?? slug(found.envName);
    const prompts = new Map(found.splits.map((split) => [split, new PromptLengths()]));
    const options = { ...withDatasets(request.gym, found.splits), name, server: await server(process.cwd()) };
    const findings = new Findings();
    for await (const file of folder(measured(found, prompts), options, findings)) {
      if ('rows' in file) for await (const _ of file.rows);
    }
    const { toolsets, scores } = await found.finish();
    findings.add(rewardScore(request.gym.settings.reward, scores));
    return {
      envName: found.envName,
      name,
      interface: found.action ? 'action' : 'tools',
      splits: [...prompts].map(([split, lengths]) => ({ ...split, prompts: lengths.value })),
      toolsets: toolsets.map(({ key, tasks, turns }) => ({ key, tasks, turns })),
      notes: found.notes ?? [],
      refused: findings.list,
      warnings: findings.warnings,
      counts: found.counts(),
    };
  } finally {
    await close();
  }
}

/** Measures prompts while tasks are read. */
function measured(found: Discovery, prompts: ReadonlyMap<Split, PromptLengths>): Discovery {
  const { envName, splits, provided, action, rewardRule } = found;
  return {
    envName,
    splits,
    ...(provided ? { provided } : {}),
    ...(action ? { action } : {}),
    ...(rewardRule ? { rewardRule } : {}),
    finish: () => found.finish(),
    async *tasks(split) {
      for await (const page of found.tasks(split)) {
        for (const { prompt } of page) prompts.get(split)?.add(String(prompt));
        yield page;
      }
    },
  };
}

class PromptLengths {
  private count = 0;
  private sum = 0;
  private shortest = Number.POSITIVE_INFINITY;
  private longest = 0;

  add(prompt: string): void {
    this.count += 1;
    this.sum += prompt.length;
    this.shortest = Math.min(this.shortest, prompt.length);
    this.longest = Math.max(this.longest, prompt.length);
  }

  get value(): Lengths {
    const { count, sum, shortest, longest } = this;
    return count === 0 ? { shortest: 0, mean: 0, longest: 0 } : { shortest, mean: Math.round(sum / count), longest };
  }
}
