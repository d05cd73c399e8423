import { type Reach, reachOf } from '../rules/index.js';

/** The operator's settings that let sandboxes reach other hosts (nhx/rl/config.py, nemo-helix 0.8.1). */
const ALLOW_INTERNET = 'NHX_RL_SANDBOX_ALLOW_INTERNET';
const PUBLIC_DNS_ALLOW = 'NHX_RL_SANDBOX_PUBLIC_DNS_ALLOW';

/** What keeps a sandbox from a URL, as the end of a sentence. */
const PROBLEMS: Record<Reach, string> = {
  loopback: 'is on this machine, and a sandbox reaches only itself there',
  private: `is on a private network, which a sandbox reaches only if the operator lists the host in ${PUBLIC_DNS_ALLOW}`,
  cluster: `is on a local network, which a sandbox reaches only if the operator lists the host in ${PUBLIC_DNS_ALLOW}`,
  public: `is reached only if the operator sets ${ALLOW_INTERNET}, and lists hosts outside *.com and *.org in ${PUBLIC_DNS_ALLOW}; otherwise each rollout is masked`,
};

/** What keeps a sandbox from the URL of a config. `isBlocked`: it is not reached without the operator's list. */
export function networkProblem(url: string): { isBlocked: boolean; problem: string } {
  const reach = reachOf(url) ?? 'private'; // a URL with an interpolation
  return { isBlocked: reach !== 'public', problem: PROBLEMS[reach] };
}
