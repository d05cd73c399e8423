import { join } from 'node:path';
import { Background, type Running } from './processes.js';
import { python, REPOSITORY, toolchainEnv } from './toolchain.js';

/** A bundle of fixtures/agentenv/bundles whose MCP servers are running. The bundle itself is not served yet. */
export interface BundleFolder extends Running {
  /** A copy whose envs point to these MCP servers. */
  folder: string;
  /** Variables that are needed to serve it: AgentEnv's state folder, and the env type of the MCP servers. */
  env: Record<string, string>;
}

/** The variables that serve.py prints, for programs that need the home folder for the caches of uv and NeMo Gym. */
export function withoutHome({ HOME: _, ...env }: Record<string, string>): Record<string, string> {
  return env;
}

export async function bundleFolder(bundle: string): Promise<BundleFolder> {
  const cwd = join(REPOSITORY, 'fixtures/agentenv');
  const server = new Background(await python('agentenv'), ['serve.py', bundle, '--mcp-only'], {
    cwd,
    env: toolchainEnv(),
  });
  try {
    const line = await server.ready((text) => (text.startsWith('{"bundle"') ? text : undefined));
    const { bundle: folder, env } = JSON.parse(line) as { bundle: string; env: Record<string, string> };
    return { folder, env: withoutHome(env), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
