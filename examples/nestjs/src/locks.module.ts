import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { Global, Inject, Module } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { LockErrorFilter } from './lock-error.filter.js';

/** Injects the locks of the application. */
export const LOCKS = Symbol('locks');

const url = process.env['LOCKS_URL'] || `sqlite:${join(tmpdir(), 'locks-example-nestjs.db')}?migrate=true`;

@Global()
@Module({
  providers: [
    { provide: LOCKS, useFactory: () => openLocks(url, { drain: '10s' }) },
    { provide: APP_FILTER, useClass: LockErrorFilter },
  ],
  exports: [LOCKS],
})
export class LocksModule implements OnApplicationShutdown {
  constructor(@Inject(LOCKS) private readonly locks: Locks) {}

  /** Nest calls it when all requests were answered. Work that still runs keeps its lock. */
  async onApplicationShutdown(): Promise<void> {
    await this.locks.close();
  }
}
