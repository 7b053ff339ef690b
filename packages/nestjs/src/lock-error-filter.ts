import { LockError } from '@locks/core';
import { Catch, HttpException } from '@nestjs/common';
import type { ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';

/** Errors that a client may retry. Any other error stays 500. */
const statuses: Readonly<Record<string, number>> = { LOCK_TIMEOUT: 409, LOCK_UNAVAILABLE: 503, LOCK_CLOSED: 503 };

/**
 * An exception filter: `LOCK_TIMEOUT` is 409, `LOCK_UNAVAILABLE` and `LOCK_CLOSED` are 503, with
 * the code as the message. `{ provide: APP_FILTER, useClass: LockErrorFilter }` makes it global.
 */
export class LockErrorFilter extends BaseExceptionFilter {
  /** Nest calls it. */
  override catch(error: LockError, host: ArgumentsHost): void {
    const status = statuses[error.code];
    super.catch(status === undefined ? error : new HttpException(error.code, status), host);
  }
}

Catch(LockError)(LockErrorFilter);
