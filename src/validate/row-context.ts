import { join } from 'node:path';
import { readNoFollow } from '../files.js';
import { exceededLimit } from '../json/bounds.js';
import { isRecord } from '../json/guards.js';
import { LIMITS } from '../limits.js';
import {
  AGENTS,
  type AgentFacts,
  type Configs,
  type Instance,
  type Manifest,
  type RowContext,
} from '../rules/index.js';

/** The facts that rows are checked against, from the configs of a package or a Gym root. */
export async function rowContext(
  root: string,
  { instances }: Pick<Configs, 'instances'>,
  manifest: Manifest | undefined,
  isDataset: boolean,
): Promise<RowContext> {
  const agents = new Map<string, AgentFacts>();
  const others = new Map<string, string>();
  for (const instance of instances) {
    if (instance.types.includes(AGENTS)) agents.set(instance.name, await agentFacts(root, instance, instances));
    else others.set(instance.name, instance.type);
  }
  const metadata = manifest?.value.metadata;
  const id = isRecord(metadata) ? metadata.vf_env_id : undefined;
  return { isDataset, agents, others, vfEnvId: typeof id === 'string' ? id : undefined };
}

/** The context of rows without configs. */
export const NO_CONFIGS: RowContext = { isDataset: true, agents: undefined, others: new Map(), vfEnvId: undefined };

async function agentFacts(root: string, agent: Instance, instances: readonly Instance[]): Promise<AgentFacts> {
  const implementation =
    Object.keys((agent.config.value as Record<string, never>)[agent.name]?.[AGENTS] ?? {})[0] ?? '';
  const { resources_server: reference } = agent.settings;
  const name = isRecord(reference) ? reference.name : undefined;
  const server = instances.find((one) => one.name === name && one.type === 'resources_servers');
  const folder = server?.implementations[0];
  const toolsets = folder === undefined ? undefined : await readToolsets(join(root, 'resources_servers', folder));
  const renamed = isRecord(server?.settings.tool_names) ? Object.keys(server.settings.tool_names) : [];
  return {
    implementation,
    tools: toolsets && new Set([...toolsets.flat(), ...renamed]),
    server: server?.name,
    alwaysTools: toolsets !== undefined && toolsets.length > 0 && toolsets.every((tools) => tools.length > 0),
  };
}

/** The names of the tools of each toolset in the toolsets.json that gymgen writes; undefined if there is none. */
async function readToolsets(folder: string): Promise<string[][] | undefined> {
  const bytes = await readNoFollow(join(folder, 'toolsets.json'), LIMITS.responseBytes).catch(
    () => 'not-a-file' as const,
  );
  if (typeof bytes === 'string' || exceededLimit(bytes) !== undefined) return undefined;
  try {
    const found: unknown = JSON.parse(bytes.toString());
    return isRecord(found) && Array.isArray(found.toolsets) ? found.toolsets.map(toolNames) : undefined;
  } catch {
    return undefined;
  }
}

function toolNames(toolset: unknown): string[] {
  const tools = isRecord(toolset) && Array.isArray(toolset.tools) ? toolset.tools : [];
  return tools.flatMap((tool: unknown) => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []));
}
