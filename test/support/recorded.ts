import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Message, Script } from './served-session.js';
import type { ServedTask } from './served-tasks.js';
import { type Asked, StandIn, type StandInOptions } from './stand-in.js';

const FOLDER = fileURLToPath(new URL('../../fixtures/recordings/', import.meta.url));

interface Exchange {
  request: Message;
  /** The frame of its response, as it was received. */
  answer: string;
}

interface HttpRecording {
  request: { method: string; path: string; body: unknown };
  response: { status: number; body: unknown };
}

/** A recorded frame and its direction: `{"dir":"<","frame":"…"}`. */
export function frames(bundle: string, file: string): { dir: string; frame: string }[] {
  const lines = readFileSync(`${FOLDER}${bundle}/${file}`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

function http(bundle: string): HttpRecording[] {
  const files = readdirSync(FOLDER + bundle).filter((name) => /^http-.*\.json$/.test(name));
  return files.map((name) => JSON.parse(readFileSync(`${FOLDER}${bundle}/${name}`, 'utf8')));
}

/** The kind of a request, whatever its arguments: `list_tools`, `end_turn`, `state`. */
function kindOf({ type, data }: Message): string {
  return data?.tool_name ?? data?.type ?? type;
}

/** The longest recorded episode of each task, by the task's name. */
function episodes(bundle: string): Map<string, Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const file of readdirSync(FOLDER + bundle).filter((name) => name.endsWith('.jsonl'))) {
    for (const episode of episodesIn(bundle, file)) {
      const task = nameIn(episode[0]?.answer ?? '{}');
      if (task && progress(episode) > progress(found.get(task) ?? [])) found.set(task, episode);
    }
  }
  return found;
}

/** Each reset of a session, with the requests that followed it. */
function episodesIn(bundle: string, file: string): Exchange[][] {
  const found: Exchange[][] = [];
  let request: Message | undefined;
  for (const { dir, frame } of frames(bundle, file)) {
    if (dir === '>') request = parsed(frame);
    else if (dir === '<' && request) {
      if (request.type === 'reset') found.push([]);
      found.at(-1)?.push({ request, answer: frame });
      request = undefined;
    }
  }
  return found;
}

function progress(episode: Exchange[]): number {
  const went = episode.filter(({ answer }) => !/"status":"error"|"type":"error"/.test(answer));
  const ends = went.filter(({ request }) => kindOf(request) === 'end_turn').length;
  return ends * 2 + Number(went.some(({ request }) => kindOf(request) === 'list_tools')) + Math.min(went.length, 1) / 2;
}

function parsed(frame: string): Message | undefined {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined; // recorded only to see how the server reacts
  }
}

function nameIn(frame: string): string | undefined {
  const { metadata } = JSON.parse(frame).data ?? {};
  return metadata?.status === 'error' ? undefined : metadata?.task?.name;
}

/** AgentEnv's response in a turn without tools, for episodes in which this request was not recorded. */
function answerWithoutTools(message: Message): string {
  const [session] = episodesIn('qa-v1', 'ws-session.jsonl') as [Exchange[]];
  return session.find(({ request }) => kindOf(request) === kindOf(message))?.answer as string;
}

/**
 * Replays the recorded responses of a real AgentEnv server, over HTTP and from the session in which the task was
 * played. A request that was not recorded, such as a range or a count of another split, is answered from the recorded
 * lists.
 */
export async function recorded(bundle: string, options: StandInOptions = {}): Promise<StandIn> {
  const answers = http(bundle);
  const lists = answers.filter(({ request, response }) => request.path.endsWith('/tasks') && response.status === 200);
  const splits = Object.fromEntries(
    lists.map(({ request, response }) => [
      (request.body as { split: string }).split,
      (response.body as { tasks: ServedTask[] }).tasks,
    ]),
  );
  const played = episodes(bundle);
  const open = new WeakMap<object, Exchange[]>();

  const script: Script = (message, session) => {
    if (message.type === 'reset') {
      const { split = '', index = 0 } = message.data;
      const episode = played.get(String(splits[split]?.[index]?.name));
      if (!episode) throw new Error(`no recording plays ${bundle} ${split}[${index}]`);
      const [reset, ...rest] = episode as [Exchange, ...Exchange[]];
      open.set(session, rest);
      // The episode was recorded in one of the splits that contain the task.
      return reset.answer.replaceAll(/"split":"[^"]*","index":\d+/g, `"split":"${split}","index":${index}`);
    }
    const left = open.get(session) ?? [];
    const at = left.findIndex(({ request }) => kindOf(request) === kindOf(message));
    if (at < 0) return answerWithoutTools(message);
    open.set(session, left.slice(at + 1));
    return left[at]?.answer;
  };

  const answer = ({ method, path, body }: Asked) => {
    const same = ({ request }: HttpRecording) =>
      request.method === method && request.path === path && isDeepStrictEqual(request.body ?? undefined, body);
    return answers.find(same)?.response;
  };
  return StandIn.start({ name: bundle, splits, http: answer, ws: script, ...options });
}
