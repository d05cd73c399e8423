import { UserError } from '../../errors.js';
import { isRecord } from '../../json/guards.js';
import { LIMITS } from '../../limits.js';
import { HttpClient, parseServerUrl } from '../../openenv/index.js';
import { yamlDocument, yamlValues } from '../../read-yaml.js';

/** Seconds for the answer of a head server. It is busy while it starts other servers. */
const ANSWER_SECONDS = 30;
/** An IPv4 address or a host name. */
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** URLs of agents by their names. */
export type AgentServers = Record<string, string>;

/**
 * The agents of the NeMo Gym that runs on this machine, as Axolotl finds them: `get_agent_servers` of
 * axolotl/integrations/nemo_gym/server.py.
 * @param first the agent that rows without an agent go to; it must be running
 * @throws UserError if no NeMo Gym answers, or the agent is not running
 */
export async function runningAgents(headPort: number, first: string, signal: AbortSignal): Promise<AgentServers> {
  const url = `http://127.0.0.1:${headPort}`;
  const agents = agentsIn(await globalConfig(url, signal));
  const own = agents[first];
  if (own !== undefined) return { [first]: own, ...agents };
  const names = Object.keys(agents).slice(0, 10).join(', ') || 'none';
  throw new UserError(`the agent ${first} is not running`, {
    where: url,
    details: [`running agents: ${names}`],
    fix: 'start NeMo Gym with the config of that agent, or add --port PORT',
  });
}

async function globalConfig(url: string, signal: AbortSignal): Promise<unknown> {
  const options = { headers: {}, signal, idleTimeout: ANSWER_SECONDS, answerTimeout: ANSWER_SECONDS };
  const client = new HttpClient(parseServerUrl(url), { ...options, maxBytes: 2 * LIMITS.configBytes });
  try {
    const { value } = await client.json('GET', '/global_config_dict_yaml');
    const document = yamlDocument(String(value), url, { version: '1.1' });
    return document.errors.length > 0 ? undefined : yamlValues(document, url);
  } catch (cause) {
    signal.throwIfAborted();
    throw new UserError('cannot read the agents of a running NeMo Gym', {
      where: url,
      details: cause instanceof UserError ? [cause.message] : [],
      fix: 'start it first with gym env start, name its port with --head-port, or fix the port of the agent with --port',
      cause,
    });
  } finally {
    client.close();
  }
}

/** The agents in a config of NeMo Gym that have a host and a port. The config is not trusted. */
function agentsIn(config: unknown): AgentServers {
  const found: AgentServers = {};
  for (const [name, instance] of Object.entries(isRecord(config) ? config : {})) {
    const agents = isRecord(instance) ? instance.responses_api_agents : undefined;
    for (const agent of Object.values(isRecord(agents) ? agents : {})) {
      const { host = '127.0.0.1', port } = isRecord(agent) ? agent : {};
      const isUsable = typeof host === 'string' && HOST.test(host) && Number.isInteger(port);
      if (isUsable) found[name] = `http://${host === '0.0.0.0' || host === 'localhost' ? '127.0.0.1' : host}:${port}`;
    }
  }
  return found;
}
