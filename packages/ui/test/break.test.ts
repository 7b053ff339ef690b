import type { Lease, Locks } from '@locks/core';
import { expect, test } from 'vitest';
import { memoryLocks, servePage } from './support/serve.ts';
import type { Answer, Site } from './support/serve.ts';

const own = { 'x-locks-ui': '1', 'sec-fetch-site': 'same-origin' };

async function breakIt(
  { request }: Site,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = own,
): Promise<Answer> {
  return await request('POST', `/break?${new URLSearchParams(query).toString()}`, headers);
}

function nameOf({ key, owner, mode }: Lease): { key: string; owner: string; mode: string; confirm: string } {
  return { key, owner, mode, confirm: key };
}

async function holds(locks: Locks, key: string): Promise<boolean> {
  return (await locks.inspect(key)).holders.length > 0;
}

test('a read-only page breaks nothing', async () => {
  const locks = memoryLocks();
  const lease = await locks.acquire('key');
  const answer = await breakIt(await servePage({ locks }), nameOf(lease));
  expect(answer.status).toBe(403);
  expect(answer.body).toContain('read-only');
  expect(await holds(locks, 'key')).toBe(true);
});

test('it ends the lease that was named, and tells it in the timeline', async () => {
  const locks = memoryLocks();
  const site = await servePage({ locks, write: true });
  const lease = await locks.acquire('key');
  const next = locks.acquire('key');
  expect(await breakIt(site, nameOf(lease))).toMatchObject({ status: 200, body: '{"freed":true}' });
  const following = await next;
  expect(await breakIt(site, nameOf(lease))).toMatchObject({ status: 200, body: '{"freed":false}' });
  const { keys, events } = await site.state();
  expect(keys).toMatchObject([{ key: 'key', holders: [{ owner: following.owner }] }]);
  expect(events.map(({ kind }) => kind)).toContain('broken');
  await following.release();
});

test('one of several sharers is ended, and the others hold on', async () => {
  const locks = memoryLocks();
  const site = await servePage({ locks, write: true });
  const [one, other] = [await locks.acquire('key', { mode: 'shared' }), await locks.acquire('key', { mode: 'shared' })];
  expect((await breakIt(site, nameOf(one))).status).toBe(200);
  expect((await locks.inspect('key')).holders.map(({ owner }) => owner)).toEqual([other.owner]);
});

test('it is refused without the confirmation, from another origin, and outside of the prefix', async () => {
  const locks = memoryLocks();
  const site = await servePage({ locks, write: true, prefix: 'jobs/' });
  const lease = await locks.acquire('jobs/a');
  const secret = await locks.acquire('secret');
  const { confirm, ...unconfirmed } = nameOf(lease);
  expect(confirm).toBe('jobs/a');
  type Attempt = readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>, number];
  const attempts: readonly Attempt[] = [
    [unconfirmed, own, 400],
    [{ ...unconfirmed, confirm: 'jobs/b' }, own, 400],
    [{ ...nameOf(lease), mode: 'both' }, own, 400],
    [{ ...nameOf(lease), owner: '' }, own, 400],
    [{}, own, 403],
    [nameOf(secret), own, 403],
    [nameOf(lease), {}, 403],
    [nameOf(lease), { ...own, 'sec-fetch-site': 'cross-site' }, 403],
    [nameOf(lease), { 'x-locks-ui': '1', origin: 'http://evil.example' }, 403],
  ];
  for (const [query, headers, status] of attempts) {
    expect({ query, status: (await breakIt(site, query, headers)).status }).toEqual({ query, status });
  }
  expect(await holds(locks, 'jobs/a')).toBe(true);
  expect(await holds(locks, 'secret')).toBe(true);
});

test('a key with control characters is confirmed as it is shown', async () => {
  const locks = memoryLocks();
  const site = await servePage({ locks, write: true });
  const lease = await locks.acquire('a\n\u001Bb');
  expect((await breakIt(site, nameOf(lease))).status).toBe(400);
  const shown = { ...nameOf(lease), confirm: String.raw`a\n\x1bb` };
  expect(await breakIt(site, shown)).toMatchObject({ status: 200, body: '{"freed":true}' });
});

test('a page with a prefix breaks the locks of jobs whose names begin so, and of no others', async () => {
  const locks = memoryLocks();
  const site = await servePage({ locks, write: true, prefix: 'jobs/' });
  for (const [job, status] of [
    ['jobs/report', 200],
    ['report', 403],
  ] as const) {
    await locks.once(job, 'ever', async (lease) => {
      expect((await breakIt(site, nameOf(lease))).status).toBe(status);
    });
  }
});
