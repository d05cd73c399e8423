import { type ErrorParts, UserError } from '../errors.js';

/** All sessions of the server are in use. Another try may find a free one. */
export class ServerFull extends UserError {
  override readonly name = 'ServerFull';
  constructor(
    where: string,
    readonly active: number | null | undefined,
    readonly max: number | null | undefined,
  ) {
    super(`the server is full: ${active ?? '?'} of its ${max ?? '?'} sessions are in use`, { where });
  }
}

/** The server refused one request. The session can continue. `code` is OpenEnv's, such as EXECUTION_ERROR. */
export class RefusedError extends UserError {
  override readonly name = 'RefusedError';
  readonly code: string;

  constructor(what: string, { code = '', ...parts }: ErrorParts & { code?: string } = {}) {
    super(what, parts);
    this.code = code;
  }
}

/** The session cannot continue: the server closed it, missed a time limit, or sent an invalid answer. A new one may work. */
export class SessionLost extends UserError {
  override readonly name = 'SessionLost';
}
