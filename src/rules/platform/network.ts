import { isIP } from 'node:net';
import { parseUrl } from '../../credentials.js';
import { quote } from '../finding.js';
import type { PackageFacts } from './facts.js';
import { type Problem, type Rule, type RuleText, rule } from './rule.js';
import { textsIn } from './values.js';

/** What a sandbox can reach of a host (sandboxed_gym/egress.py). */
export type Reach = 'loopback' | 'private' | 'cluster' | 'public';

/** @returns undefined if the text is not a URL that a client opens */
export function reachOf(text: string): Reach | undefined {
  const url = /^(?:https?|wss?):\/\//i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined || text.includes('${')) return undefined;
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  if (isIP(host) !== 0) return reachOfAddress(host);
  const isCluster = !host.includes('.') || /\.(?:local|internal|svc|lan|home\.arpa|intranet|corp)$/.test(host);
  return isCluster || host.includes('.svc.') ? 'cluster' : 'public';
}

const LOOPBACK = /^(?:127\.|0\.0\.0\.0$|::1?$|::ffff:127\.)/;
const PRIVATE =
  /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd]|fe[89ab])/;

function reachOfAddress(address: string): Reach {
  if (LOOPBACK.test(address)) return 'loopback';
  return PRIVATE.test(address) ? 'private' : 'public';
}

const OPERATOR = 'the operator allows with NHX_RL_SANDBOX_PUBLIC_DNS_ALLOW';

const blocked = onUrl(
  {
    code: 'network-private',
    severity: 'warning',
    rule: 'No setting of a package is a URL on loopback, in a private network or in the cluster',
    why: 'A sandbox cannot reach your loopback, and reaches private hosts only if the operator lists each in full.',
    when: 'rollout',
  },
  (reach) => {
    if (reach === 'public') return undefined;
    const problem =
      reach === 'loopback' ? 'is a URL of the sandbox itself' : `is a ${reach} URL, which a sandbox does not reach`;
    return [problem, `serve the bundle from the package (bundle:), or use a public name that ${OPERATOR}`];
  },
);

const allowed = onUrl(
  {
    code: 'network-public',
    severity: 'warning',
    rule: "A public URL in a setting needs the operator's permission",
    why: 'A sandbox reaches public names only with NHX_RL_SANDBOX_ALLOW_INTERNET; otherwise, every rollout is masked.',
    when: 'rollout',
  },
  (reach) =>
    reach === 'public'
      ? [
          'is a public URL, which a sandbox reaches only if the operator allows it',
          'ask for NHX_RL_SANDBOX_ALLOW_INTERNET and NHX_RL_SANDBOX_PUBLIC_DNS_ALLOW',
        ]
      : undefined,
);

/** A rule about the URLs in the settings of servers that are not models. */
function onUrl(
  text: RuleText,
  fault: (reach: Reach) => readonly [problem: string, fix: string] | undefined,
): Rule<PackageFacts> {
  return rule(text, ({ instances }: PackageFacts) =>
    instances
      .filter(({ type }) => type !== 'responses_api_models')
      .flatMap(({ name, settings, config, keys }) =>
        [...textsIn(settings)].flatMap((one): Problem[] => {
          const reach = reachOf(one.text);
          const found = reach === undefined ? undefined : fault(reach);
          if (found === undefined) return [];
          const at = { file: config.file, line: config.line([...keys, ...one.keys]) };
          const subject = `${one.keys.join('.')} of ${quote(name)}`;
          return [{ at, subject, problem: found[0], fix: found[1] }];
        }),
      ),
  );
}

export const NETWORK_RULES: readonly Rule<PackageFacts>[] = [blocked, allowed];
