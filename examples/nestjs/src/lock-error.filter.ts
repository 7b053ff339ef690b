import { LockError } from '@locks/core';
import { Catch, HttpException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';

const statuses: Partial<Record<string, number>> = { LOCK_TIMEOUT: 409, LOCK_UNAVAILABLE: 503, LOCK_CLOSED: 503 };

/** Tells the client to come again where it may. A lost lease stays an error of the server. */
@Catch(LockError)
export class LockErrorFilter extends BaseExceptionFilter implements ExceptionFilter {
  override catch(error: LockError, host: ArgumentsHost): void {
    const status = statuses[error.code];
    super.catch(status === undefined ? error : new HttpException(error.code, status), host);
  }
}
