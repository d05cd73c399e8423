import { isUtf8 } from 'node:buffer';
import { UserError } from '../errors.js';
import { hasTooManyValues } from '../json/bounds.js';
import { overLimit } from '../limits.js';
import { excerpt, PASS_TOKEN } from './failures.js';

/** In messages, in place of an empty body. */
const EMPTY = '(empty response)';

/** An HTTP response whose status is not 2xx. */
export class HttpStatusError extends UserError {
  override readonly name = 'HttpStatusError';
  constructor(
    readonly status: number,
    requestLine: string,
    text: string,
  ) {
    super(`the server answered HTTP ${status}: ${excerpt(text) || EMPTY}`, {
      where: requestLine,
      fix: fixFor(status, text),
    });
  }
}

/** A response with status 2xx that is not JSON. */
export class NotJsonError extends UserError {
  override readonly name = 'NotJsonError';
}

/** A response with status 2xx. */
export class HttpAnswer {
  constructor(
    /** The decompressed body. */
    readonly data: Buffer,
    readonly requestLine: string,
    /** The content type. */
    readonly type: string,
  ) {}

  /**
   * @param parse parses the body
   * @throws NotJsonError, or UserError if it has too many values
   */
  read(parse = parsePlain): unknown {
    if (hasTooManyValues(this.data)) throw overLimit('jsonValues', { where: this.requestLine });
    try {
      return parse(this.data);
    } catch {
      // reported below
    }
    throw new NotJsonError(`the response is not JSON (${this.type}): ${excerpt(this.data.toString()) || EMPTY}`, {
      where: this.requestLine,
      fix: 'pass the URL of an OpenEnv server, whose GET /health returns {"status":"healthy"}',
    });
  }
}

function parsePlain(data: Buffer): unknown {
  if (!isUtf8(data)) throw new SyntaxError('not UTF-8');
  return JSON.parse(data.toString());
}

function fixFor(status: number, text: string): string {
  if (status === 400 && /plain HTTP request|HTTP request to an HTTPS/i.test(text))
    return 'use https://; the port speaks TLS';
  if (status === 401 || status === 403) return PASS_TOKEN;
  if (status === 404)
    return 'pass the URL of an OpenEnv server with its base path; its GET /health returns {"status":"healthy"}';
  return "look at the server's log";
}
