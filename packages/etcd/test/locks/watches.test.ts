import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { systemRuntime } from '@locks/core/adapter';
import { eventually } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../../src/connection/member.ts';
import { txn, watch } from '../../src/wire/calls.ts';
import { keysBelow } from '../../src/locks/keys.ts';
import { queueIn, readsOfAll } from '../../src/locks/queue.ts';
import { placeRequest } from '../../src/locks/algorithm.ts';
import { Watches } from '../../src/locks/watches.ts';
import { ownPrefix, sharedServer } from '../support/etcd.ts';
import { membersOf } from '../support/members.ts';
import { gateway } from '../support/values.ts';

async function setting() {
  const { members, deadline } = membersOf();
  const keys = keysBelow(ownPrefix());
  /** What the timers of idle streams call. A busy machine does not end them while they are used. */
  const idle: (() => void)[] = [];
  const setTimer = (end: () => void): object => [idle.push(end)];
  const watches = new Watches(members, keys, deadline, { ...systemRuntime, setTimer, clearTimer: () => {} });
  const heard: string[] = [];
  const lost: unknown[] = [];
  const listener = await watches.listen(
    (owner) => owner && heard.push(owner),
    (reason) => lost.push(reason),
    new AbortController().signal,
  );
  onTestFinished(() => listener.close());
  const claim = (): { key: string; owner: string; ttl: number; mode: 'exclusive' } => ({
    key: 'key',
    owner: randomUUID(),
    ttl: 10_000,
    mode: 'exclusive',
  });
  const first = claim();
  await members.call(txn, placeRequest(keys, first, '0', true), 'a place');
  const read = await members.call(txn, { compare: [], success: readsOfAll(keys, 'key'), failure: [] }, 'a read');
  const queue = queueIn(read, keys);
  return { members, keys, watches, heard, lost, idle, claim, first, queue, listener };
}

test('a change after the read is heard, though the watch begins later; once for each claim', async () => {
  const { members, keys, watches, heard, claim, first, queue } = await setting();
  const removal = {
    compare: [],
    success: [{ requestDeleteRange: { key: keys.claim('key', first.owner) } }],
    failure: [],
  };
  await members.call(txn, removal, 'a removal');
  const [one, two] = [claim(), claim()];
  for (const waiter of [one, two]) watches.watch(waiter, queue.entries, queue.revision);
  await eventually('both to hear', () => heard.length === 2);
  expect(heard.toSorted()).toEqual([one.owner, two.owner].toSorted());
});

test('a claim hears where its watch begins with what was compacted', async () => {
  const { members, keys, watches, heard, lost, claim, queue } = await setting();
  const waiter = claim();
  const write = { compare: [], success: [{ requestPut: { key: keys.quiet, value: Buffer.from('1') } }], failure: [] };
  const { header } = await members.call(txn, write, 'a write');
  await members.call(txn, write, 'a write');
  await gateway('kv/compaction', { revision: `${BigInt(header.revision)}` });
  watches.watch(waiter, queue.entries, queue.revision - 1n);
  await eventually('the claim to hear', () => heard.includes(waiter.owner));
  expect(lost).toEqual([]);
});

test('a stream that ends is told, and its claims are forgotten', async () => {
  const { members, watches, heard, lost, claim, queue, listener } = await setting();
  watches.watch(claim(), queue.entries, queue.revision);
  await listener.probe();
  members.leave(await members.use());
  await eventually('the loss to be told', () => lost.length > 0);
  expect(heard).toEqual([]);
});

test('a stream over which no claim waits any more is ended', async () => {
  const { watches, lost, idle, claim, queue } = await setting();
  const waiter = claim();
  watches.watch(waiter, queue.entries, queue.revision);
  expect(idle).toHaveLength(1);
  watches.forget(waiter.owner);
  idle[1]?.();
  expect(lost).toEqual([expect.any(Error)]);
});

test('streams that end leave no listener behind', async () => {
  const member = connectTo(sharedServer(), undefined);
  for (let round = 0; round < 20; round++) {
    const stream = member.open(watch, undefined);
    const ended = new Promise((resolve) => stream.on('status', resolve));
    stream.on('error', () => {});
    stream.cancel();
    await ended;
  }
  expect(getEventListeners(member.over, 'abort')).toEqual([]);
  member.close();
});
