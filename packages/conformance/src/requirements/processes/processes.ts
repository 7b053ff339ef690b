import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Busy, Grant, KeyState, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustBeBusy, mustExceed, mustFree, mustGrant } from '../../checks/expect.ts';
import { incrementFile, readCounter } from '../../processes/counter-file.ts';
import type { CounterFile } from '../../processes/counter-file.ts';
import type { OtherProcess } from '../../processes/other-process.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, now, sleep } from '../../checks/time.ts';
import { firstGrant, mustRise, range } from '../steps.ts';

/** The same store, used by several processes. */
export const processesRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'expiry',
  when: ['processes-meet'],
  needs: ['processes'],
})({
  'processes-exclusion': {
    title: 'waiting owners in four processes increment a counter in a file to exactly 100, with increasing tokens',
    about: 'exclusion',
    check: async (context) => {
      const directory = await mkdtemp(join(tmpdir(), 'locks-conformance-'));
      try {
        await countInFile(context, join(directory, 'counter.json'));
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  },
  'processes-killed-holder': {
    title: 'the hold of a killed process lasts for its ttl or session, and then the key is free with a higher token',
    async check(context) {
      const [provider, other] = await Promise.all([context.create(), context.fork()]);
      await endsInTime(context, provider, other, () => other.kill());
    },
  },
  'processes-wall-clock': {
    title: 'a process with a wrong wall clock takes no key and no turn early, and holds none for longer',
    async check(context) {
      const [provider, ahead] = await Promise.all([context.create(), context.fork(4 * context.longTtl)]);
      const holder = await context.hold(provider);
      const [waiter, other] = [context.claim(holder.key), context.claim(holder.key)];
      const mustRefuse = async (whose: string): Promise<void> => {
        const { granted } = (await ahead.call('tryAcquire', other)) as Grant | Busy;
        assert.ok(!granted, `expected ${whose} to last, a process whose wall clock is ahead was granted the key`);
      };
      await mustRefuse('a hold');
      const { holders } = (await ahead.call('inspect', holder.key)) as KeyState;
      const left = holders[0]?.remaining ?? holder.ttl;
      const told = `a process whose wall clock is ahead got ${left}`;
      assert.ok(left > 0 && left <= holder.ttl, `expected at most ${holder.ttl} ms of a ttl to remain; ${told}`);
      if (context.traits.fair) {
        await mustBeBusy(provider, waiter, 'while it is held', () => {});
        await mustRefuse('a hold with a waiter');
        await mustFree(provider, holder, 'by the holder');
        await mustRefuse('a position in the queue');
        await mustGrant(provider, waiter, 'for the waiter, after a process whose wall clock is ahead has tried');
      }
      for (const claim of [holder, waiter]) await provider.release(claim);
      // The processes of one host have one wall clock.
      if (provider.time !== undefined && context.traits.scope === 'network') {
        const before = await provider.time();
        const time = (await ahead.call('time')) as number;
        const after = await provider.time();
        const span = `from ${before} to ${after}, for any wall clock of a process`;
        assert.ok(
          time >= before - 2 && time <= after + 2,
          `expected time to give that of the store, ${span}; got ${time}`,
        );
      }
      if (context.traits.expiry !== 'session') await endsInTime(context, provider, ahead);
    },
  },
  'processes-killed-holder-that-waited': {
    title: 'while the key of a killed process is busy, inspect shows a holder or a waiter, and then the key is granted',
    async check(context, provider) {
      // One of each key may come exactly when its hold or position ends: with a session all of them
      // end simultaneously. Not twice.
      for (const _ of range(2)) {
        const refusals = await refusalsAfterKill(context, provider);
        if (refusals.some((unfounded) => unfounded === 0)) return;
      }
      assert.fail(
        'expected busy to be answered while there is a holder or a waiter; each key showed none right after that answer',
      );
    },
  },
  'processes-wake': {
    title: 'a release in one process wakes the waiter in another',
    about: 'wake',
    when: ['processes-meet', 'wake'],
    async check(context) {
      const [provider, other] = await Promise.all([context.create(), context.fork()]);
      const holder = context.claim();
      const waiter = context.claim(holder.key);
      let wakes = 0;
      await other.call('tryAcquire', holder);
      await mustBeBusy(provider, waiter, 'while another process holds the key', () => (wakes += 1));
      await other.call('release', holder);
      await context.eventually('a wake after the release in another process', () => wakes > 0);
      await mustGrant(provider, waiter, 'after the release in another process');
      await mustFree(provider, waiter, 'by the waiter that was granted');
      await other.call('close');
    },
  },
});

/**
 * The hold of `other`, which runs `leave` then, lasts for its ttl, and not much longer. The next
 * one has a higher token.
 */
async function endsInTime(
  context: Context,
  provider: LockProvider,
  other: OtherProcess,
  leave: () => Promise<void> = async () => {},
): Promise<void> {
  const { ttl, patience } = context;
  const victim = context.claim(context.key(), { ttl });
  const sentAt = now();
  const grant = (await other.call('tryAcquire', victim)) as Grant;
  const answeredAt = now();
  assert.equal(grant.granted, true, 'expected a grant on a free key in another process, got busy');
  await leave();
  const validity = grant.validity ?? ttl;
  const next = context.claim(victim.key);
  const taken = await firstGrant(context, provider, next, answeredAt + Math.max(validity, ttl) * 2 + patience);
  const ended = `expected the key of another process to be free after ${validity} ms`;
  assert.ok(taken !== undefined, `${ended}, it was held for ${Math.round(now() - answeredAt)} ms`);
  const lasted = taken.answeredAt - sentAt;
  // A session that ends with its connection may free the key immediately: the process that could
  // assume to hold it is dead.
  if (context.traits.expiry === 'ttl') {
    const message = `expected the hold of another process to last ${validity} ms, it lasted ${Math.round(lasted)} ms`;
    assert.ok(lasted >= certain(validity), message);
  }
  mustRise(context, taken.grant.token, grant.token, 'after the hold of another process ended');
  await mustFree(provider, next, 'by the next holder');
}

/** For each of five keys, which a killed process held and waited for: see `untilGranted`. */
async function refusalsAfterKill(context: Context, provider: LockProvider): Promise<readonly number[]> {
  const other = await context.fork();
  // A late vote of a member, after the death of the process, ends with this ttl.
  const victims = range(5).map(() => context.claim(context.key(), { ttl: context.patience }));
  for (const victim of victims) {
    await other.call('tryAcquire', victim);
    await other.enqueue(context.claim(victim.key, { ttl: context.ttl }));
  }
  // Only now, so that even on a busy machine no hold ends before its key has a waiter.
  for (const victim of victims) await other.call('renew', { ...victim, ttl: context.ttl });
  await other.kill();
  return await Promise.all(victims.map(({ key }) => untilGranted(context, provider, key)));
}

/**
 * Tries until it is granted; returns how many busy answers were given on a key with no holder and
 * no waiter.
 */
async function untilGranted(context: Context, provider: LockProvider, key: string): Promise<number> {
  const claim = context.claim(key);
  // The provider decides how long a hold or a position in the queue lasts without a refresh.
  const end = now() + context.patience + 12_000;
  let unfounded = 0;
  for (;;) {
    const asked = now();
    if ((await provider.tryAcquire(claim)).granted) break;
    if (isIdle(await provider.inspect(key))) unfounded += 1;
    assert.ok(now() < end, 'expected a key to be free after its holder and waiter were killed, it was busy for long');
    // Not in step with the other keys, and idle for longer than it polls.
    await sleep(context.random.integer(context.ttl / 2 + 4 * (now() - asked)));
  }
  await mustFree(provider, claim, 'by the next holder');
  return unfounded;
}

async function countInFile(context: Context, file: string): Promise<void> {
  const perProcess = 25;
  const empty: CounterFile = { count: 0, tokens: [] };
  await writeFile(file, JSON.stringify(empty));
  const [provider, ...others] = await Promise.all([context.create(), context.fork(), context.fork(), context.fork()]);
  const key = context.key();
  const claims = (): ReturnType<Context['claim']>[] => range(perProcess).map(() => context.claim(key));
  const own = async (): Promise<void> => {
    for (const claim of claims()) {
      const waiting = context.wait(provider, claim);
      const { token } = await waiting.granted;
      await incrementFile(file, token);
      await waiting.release();
    }
  };
  await Promise.all([own(), ...others.map((other) => other.count(file, claims()))]);
  const { count, tokens } = await readCounter(file);
  const total = perProcess * (others.length + 1);
  assert.equal(
    count,
    total,
    `expected four processes to count to ${total} under the lock, they counted to ${count}: holders overlapped`,
  );
  if (context.traits.fencing === 'none') return;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before !== undefined)
      mustExceed(BigInt(token), BigInt(before), `for grant ${index + 1} of ${total} in four processes`);
  }
}
