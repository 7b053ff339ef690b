import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { JobRun, LockProvider, Locks, OnceOptions, OnceResult, RegisterChange } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { show } from '../../checks/expect.ts';
import { inBackground, now, sleep, within } from '../../checks/time.ts';

/** Rejected as "unknown", before or after the change was made. */
export type LostChange = 'before' | 'after';

/** A slot of long ago, so that no clock matters. */
export function slotOf(number: number): Date {
  return new Date(number * 60_000);
}

/**
 * A client of `provider`, some of whose changes of registers have no answer. `lose` decides about
 * each by its text, and may do something first. `afterRead` delays the answer of a read.
 */
export function losingChanges(
  context: Context,
  provider: LockProvider,
  lose: (to: string) => LostChange | undefined | Promise<LostChange | undefined>,
  afterRead: () => Promise<void> = async () => {},
): Locks {
  const lossy: LockProvider = {
    name: provider.name,
    traits: provider.traits,
    tryAcquire: (claim, wake) => provider.tryAcquire(claim, wake),
    renew: (claim, token) => provider.renew(claim, token),
    release: (claim) => provider.release(claim),
    inspect: (key) => provider.inspect(key),
    ...(provider.time && { time: async () => (await provider.time?.()) as number }),
    async register(name: string, change?: RegisterChange) {
      const lost = change?.to === undefined ? undefined : await lose(change.to);
      if (lost === 'before') throw new Error('the request was lost');
      const text = await provider.register?.(name, change);
      if (change === undefined) await afterRead();
      if (lost === 'after') throw new Error('the answer was lost');
      return text;
    },
    close: () => provider.close(),
  };
  return context.locksOn(lossy, { closeTimeout: context.ttl });
}

/** Whether `to` is the record of a job that begins to run. */
export function begins(to: string): boolean {
  return /(^|:)\d+;\d+;r;/.test(to);
}

/** Whether `to` is the record of a job that ended well. */
export function ends(to: string): boolean {
  return /(^|:)\d+;\d+;d;/.test(to);
}

/**
 * Begins a run that reports nothing more, like a dead process. Resolves when its work has begun.
 * Where holds end with a session, that of `provider` ends.
 */
export async function die(context: Context, key: string, slot: Date, options: OnceOptions = {}): Promise<void> {
  const provider = await context.create();
  const locks = context.locksOn(provider, { drain: 0, closeTimeout: 1 });
  const ttl = context.ttl;
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const never = new Promise<never>(() => {});
  const run = async (): Promise<unknown> => {
    for (const until = now() + context.patience; ;) {
      try {
        return await locks.once(key, slot, { ttl, renew: false, ...options }, async () => {
          begin();
          return await never;
        });
      } catch (error) {
        // If the machine was suspended for a short ttl, the grant came too late.
        if (!isLockError(error, 'LOCK_UNAVAILABLE') || now() >= until) throw error;
      }
    }
  };
  await within(context.patience, Promise.race([begun, inBackground(run())]), 'the work of a job to begin');
  if (context.traits.expiry === 'session') await provider.close();
}

/** Calls until the answer is no longer `running`, which must be soon. */
export async function callUntilOver<T>(context: Context, call: () => Promise<OnceResult<T>>): Promise<OnceResult<T>> {
  const limit = 4 * context.ttl + 2 * context.patience;
  for (const until = now() + limit; ;) {
    const result = await call();
    if (result.state !== 'running') return result;
    assert.ok(now() < until, `expected a run that died to be over within ${limit} ms, its job was ${show(result.job)}`);
    await sleep(context.ttl / 10);
  }
}

/** Some fields of a run. `undefined`: the field is absent. */
type Said = { readonly [Name in keyof JobRun]?: JobRun[Name] | undefined };

/** Fails unless `job` has the fields of `expected`. */
export function mustSay(job: JobRun | undefined, expected: Said, when: string): void {
  const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, job?.[name as keyof JobRun]]));
  assert.deepEqual(seen, expected, `expected the job to say ${show(expected)} ${when}, it was ${show(job)}`);
}

/** The listed jobs whose keys begin with `prefix`. Other checks have jobs there, too. */
export async function listed(locks: Locks, prefix: string): Promise<readonly JobRun[]> {
  const found: JobRun[] = [];
  for await (const job of locks.jobs()) if (job.key.startsWith(prefix)) found.push(job);
  return found;
}

/** Runs `check`, and removes what the store keeps of the job. */
export async function withJob(
  context: Context,
  check: (key: string, fleet: readonly [Locks, Locks, Locks]) => Promise<void>,
): Promise<void> {
  const fleet = [await context.createLocks(), await context.createLocks(), await context.createLocks()] as const;
  const key = context.key();
  await check(key, fleet);
  await fleet[0].forgetJob(key);
}
