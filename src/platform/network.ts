import { isIP } from 'node:net';
import { parseUrl } from '../credentials.js';

/** What a job's sandbox can do with a URL. Sources: `sandboxed_gym/egress.py` and `nhx/rl/config.py` of nemo-helix 0.8.1. */
export type Reach =
  /** Never: the host is the sandbox itself. */
  | 'loopback'
  /** Only if the operator lists the host. */
  | 'private'
  /** If the operator allows the internet. */
  | 'public'
  /** If the operator allows the internet, and the name as well. */
  | 'other';

export const ALLOW_INTERNET = 'NHX_RL_SANDBOX_ALLOW_INTERNET';
export const PUBLIC_DNS_ALLOW = 'NHX_RL_SANDBOX_PUBLIC_DNS_ALLOW';

/** Names that only a cluster, a home or a company resolves. */
const LOCAL_NAME = /(?:^|\.)(?:local|localdomain|internal|intranet|lan|home|corp|private|svc|test|example|invalid)$/;
/** Suffixes that the sandbox allows together with the internet. */
const PUBLIC_NAME = /\.(?:com|org)$/;

/** How far away the host of a URL is for a sandbox. */
export function reachOf(url: string): Reach {
  const host = (parseUrl(url)?.hostname ?? '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  if (isIP(host) === 4) return /^(?:127|0)\./.test(host) ? 'loopback' : 'private';
  // A public address is reached by a name only: the sandbox has no rule for addresses.
  if (isIP(host) === 6) return /^::(?:1|ffff:7f[0-9a-f]{2}:[0-9a-f]+)?$/.test(host) ? 'loopback' : 'private';
  if (!host.includes('.') || LOCAL_NAME.test(host)) return 'private';
  return PUBLIC_NAME.test(host) ? 'public' : 'other';
}

/** What keeps a sandbox from a URL, as a sentence part. */
export function reachProblem(reach: Reach): string {
  switch (reach) {
    case 'loopback':
      return 'is on this machine, and a sandbox reaches only itself there';
    case 'private':
      return 'is on a private or cluster network, which a sandbox reaches only if the operator lists the host';
    case 'public':
      return `is reached only if the operator sets ${ALLOW_INTERNET}; otherwise each rollout is masked`;
    case 'other':
      return `is reached only if the operator sets ${ALLOW_INTERNET} and lists the host in ${PUBLIC_DNS_ALLOW}; otherwise each rollout is masked`;
  }
}
