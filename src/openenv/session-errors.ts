import { type ErrorParts, UserError } from '../errors.js';

/** The server has as many sessions as it allows. Another try may find a free one. */
export class ServerFull extends UserError {
  override readonly name = 'ServerFull';
  constructor(
    where: string,
    readonly active: number | null | undefined,
    readonly max: number | null | undefined,
  ) {
    super(`the server is full: ${active ?? '?'} of its ${max ?? '?'} sessions are taken`, { where });
  }
}

/** The server refused one request of a session, which may go on: `code` is one of OpenEnv's, such as EXECUTION_ERROR. */
export class RefusedError extends UserError {
  override readonly name = 'RefusedError';
  readonly code: string;

  constructor(what: string, { code = '', ...parts }: ErrorParts & { code?: string } = {}) {
    super(what, parts);
    this.code = code;
  }
}

/** The session can't go on: the server closed it, came too late, or sent what is no answer. Another one may. */
export class SessionLost extends UserError {
  override readonly name = 'SessionLost';
}
