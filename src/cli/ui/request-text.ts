import { formatCount } from '../../display-text.js';
import type { SentRequest } from '../../reporter.js';

/** Such as `GET http://127.0.0.1:8000/health: HTTP 200, 20 bytes, 31 ms`. */
export function requestText({ request, status, bytes, milliseconds }: SentRequest): string {
  const facts = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    bytes === undefined ? 'no response' : `${formatCount(bytes)} bytes`,
    `${formatCount(Math.round(milliseconds))} ms`,
  ];
  return `${request}: ${facts.join(', ')}`;
}
