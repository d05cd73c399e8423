import { namesOf } from '../../gym/index.js';

/** Names of the files in the output folder, and of the instances in them. */
export interface AxolotlNames {
  /** The resources server. */
  server: string;
  /** The agent of the Gym root, which the rows name. */
  written: { name: string; implementation: string };
  /** The agent of the output folder, which plays fixed rows. */
  fixed: { name: string; implementation: string; environment: string };
  /** Config of the resources server, relative to the Gym root. */
  serverConfig: string;
  config: string;
  policyModel: string;
  rolloutLoop: string;
  agentFolder: string;
  agentConfig: string;
  /** Fixed rows of a split. */
  rows(split: string): string;
}

export function axolotlNames(server: string): AxolotlNames {
  const { agent, folder, config } = namesOf(server);
  const agentFolder = 'responses_api_agents/axolotl_agent';
  return {
    server,
    written: { name: agent, implementation: 'simple_agent' },
    fixed: {
      name: `${server}_axolotl_agent`,
      implementation: 'axolotl_agent',
      environment: `${server}_axolotl_environment_server`,
    },
    serverConfig: `${folder}/${config}`,
    config: `${server}.yaml`,
    policyModel: `${server}_policy_model.yaml`,
    rolloutLoop: `${server}_rollout_loop.yaml`,
    agentFolder,
    agentConfig: `${agentFolder}/configs/${server}_axolotl.yaml`,
    rows: (split) => `${split}.axolotl.jsonl`,
  };
}
