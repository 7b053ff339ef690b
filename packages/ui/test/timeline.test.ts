import { createLocks, createMemoryProvider, createMemoryStore } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { Timeline } from '../src/looks/timeline.ts';
import { memoryLocks, servePage } from './support/serve.ts';

const holder = (key: string, owner: string, token = 1n) => ({ key, owner, mode: 'exclusive' as const, token });
const all = (): boolean => true;

function told(timeline: Timeline): readonly string[] {
  return timeline.recent(100, all).map(({ kind, key, label, detail }) => `${kind} ${key} ${label} ${detail}`.trim());
}

test('looks tell of a holder that came, was replaced, and left', () => {
  const timeline = new Timeline();
  const look = (now: number, ...owners: readonly string[]): void => {
    timeline.sawKeys(owners.length === 0 ? [] : ['key'], now);
    if (owners.length === 0) return;
    timeline.sawState({ key: 'key', holders: owners.map((owner) => holder('key', owner)), waiters: 0 }, now);
  };
  look(0);
  look(1_000, 'web-1/a');
  look(2_000, 'web-1/a');
  look(3_000, 'web-2/b');
  look(4_000);
  expect(told(timeline)).toEqual([
    'ended key web-2',
    'granted key web-2 token 1',
    'ended key web-1',
    'granted key web-1 token 1',
  ]);
});

test('the first look, and one after a long pause, tell nothing of the time before', () => {
  const timeline = new Timeline();
  timeline.sawKeys(['key', 'other'], 0);
  timeline.sawState({ key: 'key', holders: [holder('key', 'web-1/a')], waiters: 0 }, 0);
  // `other` was on another page: its holder may be there for long.
  timeline.sawKeys(['key', 'other'], 1_000);
  timeline.sawState({ key: 'other', holders: [holder('other', 'web-1/b')], waiters: 0 }, 1_000);
  timeline.sawKeys(['key', 'later'], 60_000);
  timeline.sawState({ key: 'key', holders: [holder('key', 'web-2/c')], waiters: 0 }, 60_000);
  timeline.sawState({ key: 'later', holders: [holder('later', 'web-2/d')], waiters: 0 }, 60_000);
  expect(told(timeline)).toEqual([]);
});

test('of two pages that share a list, the first to look at a new key tells its holder', () => {
  const timeline = new Timeline();
  timeline.sawKeys([], 0);
  const list = ['key'];
  timeline.sawKeys(list, 1_000);
  timeline.sawKeys(list, 1_010);
  timeline.sawState({ key: 'key', holders: [holder('key', 'web-1/a')], waiters: 0 }, 1_020);
  timeline.sawState({ key: 'key', holders: [holder('key', 'web-1/a')], waiters: 0 }, 1_030);
  expect(told(timeline)).toEqual(['granted key web-1 token 1']);
});

test('thousands of grants push out older grants, and no loss', () => {
  const timeline = new Timeline();
  timeline.add({ kind: 'lost', key: 'key', owner: 'web-1/a', detail: 'unanswered' });
  for (let index = 0; index < 6_000; index += 1) timeline.add({ kind: 'granted', key: 'key', owner: `web-1/${index}` });
  const events = timeline.recent(Infinity, all);
  expect(events).toHaveLength(201);
  expect(events.at(-1)).toMatchObject({ kind: 'lost', detail: 'unanswered' });
});

test('what the process does and what looks see is told once', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks });
  await state();
  const lease = await locks.acquire('key');
  await expect.poll(async () => (await state()).total).toBe(1);
  await lease.release();
  await expect.poll(async () => (await state()).total).toBe(0);
  const { events } = await state();
  expect(events).toMatchObject([
    { kind: 'released', key: 'key', label: 'web-1', detail: expect.stringMatching(/^held for /) },
    { kind: 'granted', key: 'key', label: 'web-1', detail: expect.stringMatching(/^token \d+, waited /) },
  ]);
});

test('losses, waits in vain and long waits of the process are told', async () => {
  const store = createMemoryStore();
  const options = { label: 'web-1', closeProvider: true, slowWait: '50ms' };
  const locks = createLocks(createMemoryProvider({ store }), options);
  const others = createLocks(createMemoryProvider({ store }), { ...options, label: 'web-2' });
  onTestFinished(async () => void (await Promise.all([locks.close(), others.close()])));
  const { state } = await servePage({ locks });
  const lost = await locks.acquire('lost', { ttl: 200, renew: false });
  await others.acquire('busy');
  await expect(locks.acquire('busy', { wait: 200 })).rejects.toThrow();
  expect(await locks.tryAcquire('busy')).toBeNull();
  await expect.poll(() => lost.signal.aborted).toBe(true);
  const { events } = await state();
  expect(events.filter(({ kind }) => kind !== 'granted')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'lost', key: 'lost', detail: expect.stringMatching(/^not-renewed, held for /) }),
      expect.objectContaining({
        kind: 'gave-up',
        key: 'busy',
        detail: expect.stringMatching(/^LOCK_TIMEOUT, waited /),
      }),
      expect.objectContaining({ kind: 'slow', key: 'busy', detail: expect.stringMatching(/, held by web-2$/) }),
    ]),
  );
  expect(events.filter(({ kind }) => kind === 'gave-up')).toHaveLength(1);
});

test('without channels only looks tell', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks, channels: false });
  await state();
  await (await locks.acquire('key')).release();
  expect((await state()).events).toEqual([]);
});
