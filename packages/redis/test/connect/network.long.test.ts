import type { Lease } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { queueUp } from '../support/queue.ts';
import { meet } from '../support/network.ts';
import type { Meeting, Party } from '../support/network.ts';
import type { Redis } from 'ioredis';
import { clients, eventually } from '../support/redis.ts';

const isMessage = (piece: Buffer): boolean => piece.includes('message');

describe.each(clients)('a release that %s sends later, because it is reconnecting,', (_name, create) => {
  async function reconnecting(meeting: Meeting): Promise<{ readonly lease: Lease; readonly party: Party }> {
    let client: Redis | undefined;
    const party = await meeting.party({ open: (url) => (client = create(url, { retryStrategy: () => 50 })) });
    const lease = await party.locks.acquire('job');
    await party.commands.cut();
    await eventually('the client to notice', () => client?.status !== 'ready');
    return { lease, party };
  }

  test('answers true', async () => {
    const meeting = await meet();
    const { lease } = await reconnecting(meeting);
    expect(await lease.release()).toBe(true);
    await meeting.end('job');
  });

  test('answers false when the hold was certainly gone', async () => {
    const meeting = await meet();
    const { lease } = await reconnecting(meeting);
    await meeting.observer.del(`${meeting.prefix}job`);
    expect(await lease.release()).toBe(false);
    await meeting.end('job');
  });
});

describe('wakes', () => {
  test('over a connection that has died unnoticed: it is replaced, and the next ones arrive', async () => {
    const meeting = await meet();
    const { locks, wakes } = await meeting.party({ apart: true, waiterTtl: 3_000, timeout: 200 });
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const queue = await queueUp(locks, 2);
    wakes.strand();
    // The server has not noticed either.
    await eventually('another subscription', async () => (await meeting.subscriptions()) === 2);
    await meeting.waiters('job', 2);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1]);
    await meeting.end('job');
  });

  test('over a connection that was accepted and then never spoken to: it is replaced, and waiters get their position in the queue', async () => {
    const meeting = await meet();
    const { locks, wakes } = await meeting.party({ apart: true, timeout: 200 });
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const prompt = wakes.delay(60_000, 'replies');
    const next = locks.withLock('job', () => {});
    await eventually('a connection for wakes', () => wakes.clientConnections === 1);
    wakes.strand();
    prompt();
    await meeting.waiters('job', 1);
    await lease.release();
    await next;
    await meeting.end('job');
  });

  test.each(['is refused', 'is accepted and never answered'])(
    'over a connection that %s: waiters look every waiterTtl / 24, however long the timeout',
    async (what) => {
      const meeting = await meet();
      const { locks, wakes } = await meeting.party({ apart: true, waiterTtl: 6_000, timeout: 60_000 });
      const { locks: others } = await meeting.party();
      if (what === 'is refused') wakes.refuse();
      else wakes.silence('both');
      for (let round = 0; round < 3; round += 1) {
        const lease = await others.acquire('job', { ttl: 60_000 });
        const before = await scriptCalls(meeting);
        const waiting = [1, 2].map(() => locks.acquire('job').then((next) => next.release()));
        await eventually('a look of both', async () => (await scriptCalls(meeting)) >= before + 2);
        const start = performance.now();
        await lease.release();
        await Promise.all(waiting);
        expect(performance.now() - start).toBeLessThan(5_000);
      }
      await meeting.end('job');
    },
  );

  test('that come twice: each waiter is served once, in order', async () => {
    const meeting = await meet();
    const { locks } = await meeting.party();
    const echo = meeting.observer.duplicate();
    const echoed = new Set<string>();
    let messages = 0;
    echo.on('pmessage', (_pattern: string, channel: string, owner: string) => {
      messages += 1;
      if (echoed.delete(owner)) return;
      echoed.add(owner);
      void meeting.observer.publish(channel, owner);
    });
    await echo.psubscribe(`${meeting.prefix}wake:*`);
    const lease = await locks.acquire('job');
    const queue = await queueUp(locks, 5);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2, 3, 4]);
    await eventually('all messages twice', () => messages >= 10 && echoed.size === 0);
    echo.disconnect();
    await meeting.end('job');
  });

  test('of which one is cut within: all waiters look again when the subscription is back, and not at the next poll', async () => {
    const meeting = await meet();
    const { locks, wakes } = await meeting.party({ apart: true, waiterTtl: 60_000 });
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const queue = await queueUp(locks, 3);
    const trap = wakes.cutMidFrame('replies', { when: isMessage });
    const started = performance.now();
    await lease.release();
    await trap.sprung;
    await queue.all;
    // A poll would come after a third of waiterTtl.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(queue.order).toEqual([0, 1, 2]);
    await meeting.end('job');
  });
});

/** How many scripts the server has run so far. */
async function scriptCalls({ observer }: Meeting): Promise<number> {
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await observer.info('commandstats'))?.[1]);
}
