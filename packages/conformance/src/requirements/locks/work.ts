import assert from 'node:assert/strict';
import type { Lease, Locks } from '@locks/core';
import { isIdle, mustReject, show } from '../../checks/expect.ts';
import { refused } from '../../checks/interference.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, now, standstill, turn, within } from '../../checks/time.ts';
import { range } from '../steps.ts';
import { aborted, acquireInTime, inTime, untilConclusive } from './leasing.ts';
import type { Context } from '../../context/context.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

const flow = new AsyncLocalStorage<string>();

/** How `withLock` handles the end of its work. */
export const workRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'lease' })({
  'locks-work-throws': {
    title: 'withLock releases and rejects with the same error as its work, thrown synchronously or later',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const failure = new Error('the work went wrong');
      const works = [
        () => {
          throw failure;
        },
        async () => {
          await turn();
          throw failure;
        },
      ];
      for (const work of works) {
        const key = context.key();
        let lease: Lease | undefined;
        const call = locks.withLock(
          key,
          (given) => {
            lease = given;
            return work();
          },
          { ttl: context.longTtl },
        );
        const error = await call.then(show, (thrown: unknown) => thrown);
        assert.equal(error, failure, `expected the error of the work, got ${show(error)}`);
        assert.equal(lease?.held, false, 'expected the lease to be over after withLock');
        await context.state(provider, key, 'the key to be free after work that threw', isIdle);
      }
    },
  },
  'locks-work-after-loss': {
    title: "work that loses its lease ends with LOCK_LOST and its result or error, or with the signal's reason",
    about: 'loss',
    when: ['ttl'],
    async check(context) {
      const { locks, interference } = await context.interfere();
      interference.rule('renew', () => refused);
      const failure = new Error('the work went wrong');
      const work = async (end: (lease: Lease) => unknown): Promise<unknown> => {
        const lost = async (lease: Lease): Promise<unknown> => {
          await aborted(lease);
          return end(lease);
        };
        return await inTime(context, () => locks.withLock(context.key(), lost, { ttl: context.ttl }));
      };
      const start = (end: (lease: Lease) => unknown): Promise<unknown> => inBackground(work(end));
      const raise = (error: unknown): never => {
        throw error;
      };
      let reason: unknown;
      const [returned, threw, gaveUp] = [
        start(() => 'the result'),
        start(() => raise(failure)),
        start(({ signal }) => raise((reason = signal.reason))),
      ];
      const first = await mustReject(returned, 'LOCK_LOST', 'for work that returned after its lease was lost');
      assert.equal(first.result, 'the result', `expected the result of the work, got ${show(first.result)}`);
      const second = await mustReject(threw, 'LOCK_LOST', 'for work that threw after its lease was lost');
      assert.equal(second.cause, failure, `expected the error of the work as cause, got ${show(second.cause)}`);
      const third = await mustReject(gaveUp, 'LOCK_LOST', "for work that threw the signal's reason");
      assert.equal(third, reason, "expected the signal's reason itself when the work throws it");
    },
  },
  'locks-reentrant-elsewhere': {
    title: 'another asynchronous context does not join a reentrant hold: it waits, and gets a separate lease',
    async check(context) {
      const locks = await context.createLocks({ reentrant: true, ttl: context.longTtl });
      const key = context.key();
      let inside = 0;
      let isInside = (): void => {};
      const firstIsInside = new Promise<void>((resolve) => (isInside = resolve));
      const owners = new Set<string>();
      const work = (): Promise<void> =>
        locks.withLock(key, async ({ owner }) => {
          isInside();
          inside += 1;
          assert.equal(inside, 1, 'expected one asynchronous context at a time');
          owners.add(owner);
          await locks.withLock(key, async (inner) => {
            await turn();
            owners.add(inner.owner);
          });
          await turn();
          inside -= 1;
        });
      // The others are called from outside, while the first one works.
      const others = range(2).map(async () => {
        await firstIsInside;
        await work();
      });
      await Promise.all([work(), ...others]);
      assert.equal(owners.size, 3, `expected three leases for three contexts, got ${show([...owners])}`);
    },
  },
  // A process that does nothing but lock.
  'locks-loop': {
    title: 'a loop of awaited acquires and releases lets another lease of its process be renewed',
    when: ['ttl'],
    async check(context) {
      await untilConclusive(() => isRenewedMeanwhile(context));
    },
  },
  // No flow runs a listener of another in its own asynchronous context: there it could join the
  // holds of that flow.
  'locks-outside-context': {
    title:
      "the loss of a lease is reported outside of other flows' asynchronous contexts: a listener joins no reentrant lock",
    async check(context) {
      const locks = await context.createLocks();
      const held = context.key();
      const { longTtl, ttl } = context;
      const lease = await locks.acquire(context.key(), { ttl: longTtl, maxHold: ttl });
      const told = new Promise<Seen>((resolve) =>
        lease.signal.addEventListener('abort', () => resolve(look(locks, held, longTtl)), { once: true }),
      );
      const other = async (): Promise<void> => {
        // Due first: what serves both leases is started, and restarted, in this flow.
        await locks.acquire(context.key(), { ttl: longTtl, maxHold: ttl / 2 });
        const seen = await within(ttl + context.patience, told, `a lease to be lost at its maxHold of ${ttl} ms`);
        assert.deepEqual(
          seen,
          { flow: undefined, joined: false },
          `expected the listener in no flow, and not to join a lock that another flow holds, got ${show(seen)}`,
        );
      };
      await flow.run('another', () => locks.withLock(held, other, { ttl: longTtl, reentrant: true }));
    },
  },
});

/** Whether it was renewed, rather than not for good reasons. */
async function isRenewedMeanwhile(context: Context): Promise<boolean> {
  const { ttl } = context;
  const { locks, interference } = await context.interfere();
  const lease = await acquireInTime(context, locks, context.key(), { ttl });
  const stood = standstill();
  let renewals = 0;
  interference.rule('renew', () => {
    renewals += 1;
    return undefined;
  });
  const key = context.key();
  let rounds = 0;
  for (const stop = now() + ttl; renewals === 0 && now() < stop; stood()) {
    const other = await acquireInTime(context, locks, key, { ttl: context.longTtl });
    await other.release();
    rounds += 1;
  }
  assert.ok(
    renewals > 0 || stood() >= ttl / 4,
    `expected a lease with a ttl of ${ttl} ms to be renewed while its process acquired and released another key; in ${rounds} rounds it was not`,
  );
  await lease.release();
  return renewals > 0;
}

interface Seen {
  readonly flow: string | undefined;
  readonly joined: boolean;
}

async function look(locks: Locks, held: string, ttl: number): Promise<Seen> {
  const found = flow.getStore();
  const lease: Lease | null = await locks.tryAcquire(held, { ttl, reentrant: true });
  await lease?.release();
  return { flow: found, joined: lease !== null };
}
