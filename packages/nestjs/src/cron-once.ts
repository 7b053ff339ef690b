import type { Lease, OnceOptions } from '@locks/core';
import { Cron } from '@nestjs/schedule';
import { Cron as Schedule } from 'croner';
import { wrap } from './with-lock.ts';
import type { MethodUnderLock } from './with-lock.ts';

/** Options of `CronOnce`. */
export interface CronOnceOptions extends OnceOptions {
  /** The time zone of the expression, such as `Europe/Berlin`. @default UTC */
  readonly timeZone?: string;
}

/** In ms: how early timers may fire. With more, a late call could name the next round. */
const early = 500;

/**
 * A cron job of `@nestjs/schedule` that runs once per round in all replicas: `locks.once` of `key`,
 * with the time of the cron expression as its slot. The method gets that time, and the lease. It is
 * not called if another replica runs, or has run, the round. `ScheduleModule.forRoot()` starts the
 * jobs.
 */
export function CronOnce(
  key: string,
  expression: string,
  { timeZone = 'UTC', ...options }: CronOnceOptions = {},
): MethodUnderLock<[slot: Date, lease: Lease]> {
  const schedule = new Schedule(expression, { timezone: timeZone, paused: true });
  return (target, name, descriptor) => {
    wrap(target, descriptor, async (self, locks, method) => {
      const [slot] = schedule.previousRuns(1, new Date(Date.now() + early));
      if (slot === undefined) throw new Error(`CronOnce("${key}"): "${expression}" has no round before now.`);
      await locks.once(key, slot, options, async (lease) => await method.call(self, slot, lease));
    });
    Cron(expression, { timeZone })(target, name, descriptor);
  };
}
