import { join } from 'node:path';
import { Background, type Running } from './processes.js';
import { python, REPOSITORY, toolchainEnv } from './toolchain.js';

/** A bundle of fixtures/agentenv/bundles with its MCP servers running, which nobody serves yet. */
export interface BundleFolder extends Running {
  /** A copy whose envs point at these MCP servers. */
  folder: string;
  /** Variables that whoever serves it needs: where AgentEnv keeps its state, and the env type of the MCP servers. */
  env: Record<string, string>;
}

/** Variables that serve.py tells, for programs that have uv's and NeMo Gym's caches at home. */
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
