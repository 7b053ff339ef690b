import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LockErrorFilter, LocksModule } from '@locks/nestjs';
import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';

const url = process.env['LOCKS_URL'] || `sqlite:${join(tmpdir(), 'locks-example-nestjs.db')}?migrate=true`;

/** The locks of the application. LOCK_TIMEOUT is 409, an unreachable store is 503. */
@Module({
  imports: [LocksModule.forRoot(url, { drain: '10s' })],
  providers: [{ provide: APP_FILTER, useClass: LockErrorFilter }],
})
export class AppLocksModule {}
