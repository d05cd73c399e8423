import { closest } from '../closest.js';
import { UserError } from '../errors.js';
import { isRecord } from '../json/guards.js';
import { HttpClient, HttpStatusError, parseServerUrl } from '../openenv/index.js';
import type { ModelType } from '../options/play.js';
import { withoutSecret } from './secret.js';

/** A model server that is running. */
export interface NamedModel {
  /** Its base URL, which usually ends in `/v1`. */
  url: string;
  /** May be left out if the server has only one. */
  model?: string;
  /** Detected from the server by default. */
  type?: ModelType;
  /** Name of the environment variable that has the key. */
  keyEnv?: string;
}

/** A model as NeMo Gym's config needs it. */
export interface Model {
  url: string;
  model: string;
  type: ModelType;
  keyEnv?: string;
}

/** Time limit in seconds. A model server answers these requests at once. */
const TIMEOUT = 30;

/**
 * Detects the type of a model server, and checks that the server has the model.
 * @throws UserError if the server cannot be reached, rejects the key or does not have the model
 */
export async function findModel(named: NamedModel, signal: AbortSignal): Promise<Model> {
  const { keyEnv } = named;
  const url = named.url.replace(/\/{1,8}$/, '');
  const server = parseServerUrl(url);
  if (Object.keys(server.headers).length > 0) {
    throw new UserError('the URL of the model server has a password', {
      fix: 'put the key into an environment variable, and pass its name: --model-api-key-env NAME',
    });
  }
  const key = keyEnv === undefined ? undefined : keyIn(keyEnv);
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const http = new HttpClient(
    { ...server, http: url },
    { headers, signal, idleTimeout: TIMEOUT, responseTimeout: TIMEOUT },
  );
  try {
    const listed = await listedModels(http, url, keyEnv, key);
    const isVllm = listed.some(({ owner }) => owner === 'vllm');
    const model = chosen(named.model, listed, isVllm, url);
    const type = named.type ?? (isVllm || !(await hasResponses(http)) ? 'vllm_model' : 'openai_model');
    return { url, model, type, ...(keyEnv === undefined ? {} : { keyEnv }) };
  } finally {
    http.close();
  }
}

/** @throws UserError if the variable is not set */
export function keyIn(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new UserError('--model-api-key-env takes a variable name, not the key', {
      fix: 'for example: --model-api-key-env OPENAI_API_KEY',
    });
  }
  const key = process.env[name];
  if (key) return key;
  throw new UserError(`environment variable ${name} is not set`, { fix: `set it to the key: export ${name}=…` });
}

interface Listed {
  id: string;
  owner: unknown;
}

/** Empty if the server has no list. */
async function listedModels(
  http: HttpClient,
  url: string,
  keyEnv: string | undefined,
  key: string | undefined,
): Promise<Listed[]> {
  try {
    const { value } = await http.json('GET', '/models');
    const data = isRecord(value) && Array.isArray(value.data) ? value.data : [];
    return data.flatMap((each) => (typeof each?.id === 'string' ? [{ id: each.id, owner: each.owned_by }] : []));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const status = error instanceof HttpStatusError ? error.status : undefined;
    const fix =
      status === 401 || status === 403
        ? `pass a valid key: ${keyEnv === undefined ? '--model-api-key-env NAME' : keyEnv}`
        : status === 404 && !/\/v\d+$/.test(url)
          ? `add the path of the API: --model-url ${url}/v1`
          : status === undefined
            ? 'start the model server, or correct --model-url'
            : undefined;
    if (fix === undefined) return [];
    const message = key === undefined ? error.message : withoutSecret(error.message, key);
    throw new UserError(`cannot query the model server: ${message}`, {
      ...(error.where === undefined ? {} : { where: error.where }),
      fix,
    });
  }
}

/** Models that an error lists. */
const SHOWN = 5;

function chosen(named: string | undefined, listed: readonly Listed[], isVllm: boolean, where: string): string {
  const ids = listed.map(({ id }) => id);
  if (named === undefined) {
    const [only, ...others] = ids;
    if (only !== undefined && others.length === 0) return only;
    throw new UserError('the model server does not have exactly one model', {
      where,
      details: ids.slice(0, SHOWN),
      fix: 'name one: --model NAME',
    });
  }
  // Other servers may leave models out of their list.
  if (!isVllm || ids.includes(named)) return named;
  throw new UserError(`the model server does not serve ${JSON.stringify(named)}`, {
    where,
    details: ids.slice(0, SHOWN),
    fix: `pass --model ${closest(named, ids) ?? ids[0]}`,
  });
}

/** Whether the server has the Responses API. The server rejects an empty request, so nothing is generated. */
async function hasResponses(http: HttpClient): Promise<boolean> {
  try {
    await http.ask('POST', '/responses', {});
    return true;
  } catch (error) {
    if (error instanceof HttpStatusError) return ![404, 405, 501].includes(error.status);
    throw error;
  }
}
