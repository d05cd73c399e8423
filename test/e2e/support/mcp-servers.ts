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

export async function bundleFolder(bundle: string): Promise<BundleFolder> {
  const cwd = join(REPOSITORY, 'fixtures/agentenv');
  const server = new Background(await python('agentenv'), ['serve.py', bundle, '--mcp-only'], {
    cwd,
    env: toolchainEnv(),
  });
  try {
    const line = await server.ready((text) => (text.startsWith('{"bundle"') ? text : undefined));
    // uv and NeMo Gym have their caches at home.
    const { HOME: _, ...env } = JSON.parse(line).env as Record<string, string>;
    return { folder: JSON.parse(line).bundle, env, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
