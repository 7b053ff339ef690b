import type { Lease, Locks, OnceOptions } from '@locks/core';
import { Inject } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { fireTime } from './fire-time.js';
import { LOCKS } from './locks.module.js';

type Job = (slot: Date, lease: Lease) => Promise<void>;

/** A cron job that runs in one of all replicas. It gets the time of the round, and the lease. */
export function CronOnce(key: string, expression: string, timeZone: string, options: OnceOptions = {}) {
  return <Method extends Job>(target: object, name: string, descriptor: TypedPropertyDescriptor<Method>) => {
    Inject(LOCKS)(target, 'locks');
    const method = descriptor.value as Method;
    async function runOnce(this: { readonly locks: Locks }): Promise<void> {
      const slot = fireTime(expression, timeZone);
      await this.locks.once(key, slot, options, async (lease) => await method.call(this, slot, lease));
    }
    descriptor.value = runOnce as unknown as Method;
    Cron(expression, { timeZone })(target, name, descriptor);
  };
}
