import { connect } from 'node:net';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { memoryLocks, servePage } from './support/serve.ts';

test('it shows holders with their token, and who waits in order', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks });
  const lease = await locks.acquire('invoices/2026-05');
  const waiting = ['first', 'second'].map((label) => locks.acquire('invoices/2026-05', { label }));
  await expect.poll(async () => (await locks.inspect('invoices/2026-05')).waiters).toBe(2);
  const { keys, ...rest } = await state();
  expect(rest).toMatchObject({ store: 'memory', write: false, total: 1, matched: 1, page: 0, pages: 1, more: false });
  expect(keys).toEqual([
    {
      key: 'invoices/2026-05',
      text: 'invoices/2026-05',
      name: 'invoices/2026-05',
      holders: [
        {
          owner: lease.owner,
          text: lease.owner,
          label: 'web-1',
          mode: 'exclusive',
          token: String(lease.token),
          remaining: expect.any(Number),
        },
      ],
      waiters: 2,
      queue: ['first', 'second'].map((label) => ({
        text: expect.stringContaining(`${label}/`),
        label: `web-1:${label}`,
        mode: 'exclusive',
      })),
      members: [],
    },
  ]);
  await lease.release();
  for (const next of waiting) await (await next).release();
});

test('keys with markup and control characters are data, and texts that are safe to show', async () => {
  const locks = memoryLocks();
  const { request, state } = await servePage({ locks });
  const key = '<img src=x onerror=alert(1)>\u001B[31m\n\u202E</script>';
  await locks.acquire(key);
  const { keys, events } = await state();
  const text = String.raw`<img src=x onerror=alert(1)>\x1b[31m\n\u{202e}</script>`;
  expect(keys).toMatchObject([{ key, text }]);
  expect(events).toMatchObject([{ kind: 'granted', key: text }]);
  const { headers } = await request('GET', '/state');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test('the lock of a job is shown by the name of the job, with its state', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks, prefix: 'jobs/' });
  await locks.acquire('jobs/sync');
  await locks.once('other', 'ever', async () => {
    await locks.once('jobs/report', new Date('2021-11-29T03:00Z'), async () => {
      expect((await state({ filter: 'job jobs/rep' })).keys).toHaveLength(1);
      expect((await state()).keys).toMatchObject([
        { key: 'jobs/sync', name: 'jobs/sync' },
        { key: 'once/jobs%2Freport', name: 'job jobs/report', run: { state: 'running', slot: '2021-11-29T03:00Z' } },
      ]);
    });
  });
  await expect.poll(async () => (await state()).events.map(({ key }) => key)).toContain('job jobs/report');
});

test('the filter finds text anywhere in a key, whatever its case', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks });
  for (const key of ['jobs/Report', 'jobs/sync', 'report']) await locks.acquire(key);
  const { keys, total, matched, events } = await state({ filter: 'REPORT' });
  expect(keys.map(({ key }) => key)).toEqual(['jobs/Report', 'report']);
  expect({ total, matched }).toEqual({ total: 3, matched: 2 });
  expect(events.map(({ key }) => key)).toEqual(['report', 'jobs/Report']);
});

test('with a prefix there are no other keys', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks, prefix: 'jobs/' });
  for (const key of ['jobs/sync', 'secret']) await locks.acquire(key);
  const { keys, total, prefix, events } = await state({ filter: 'e' });
  expect({ keys, total, prefix, events }).toEqual({ keys: [], total: 1, prefix: 'jobs/', events: [] });
});

test('10 000 keys are shown in pages, and a look asks for one page alone', async () => {
  const locks = memoryLocks();
  const names = Array.from({ length: 10_000 }, (_, index) => `key/${String(index).padStart(5, '0')}`);
  await Promise.all(names.map(async (key) => await locks.acquire(key, { ttl: '10m' })));
  let inspected = 0;
  const counted = {
    name: locks.name,
    list: (prefix?: string) => locks.list(prefix),
    forceRelease: locks.forceRelease.bind(locks),
    inspect: async (key: string) => {
      inspected += 1;
      return await locks.inspect(key);
    },
  };
  const { request, state } = await servePage({ locks: counted });
  const last = await state({ page: '199' });
  expect(last).toMatchObject({ total: 10_000, matched: 10_000, page: 199, pages: 200 });
  expect(last.keys.map(({ key }) => key)).toEqual(names.slice(-50));
  expect(inspected).toBe(50);
  // To sort that many by how many wait would take a call for each.
  expect(last).toMatchObject({ sortable: false, order: 'name' });
  const unsorted = await state({ page: '199', order: 'waiting' });
  expect(unsorted).toMatchObject({ sortable: false, order: 'name' });
  expect(inspected).toBe(50);
  // A page that is not there is the last one, or the first.
  expect((await state({ page: '1000' })).page).toBe(199);
  expect((await state({ page: '-1' })).page).toBe(0);
  expect((await state({ page: 'none' })).page).toBe(0);
  expect((await request('GET', '/state')).body.length).toBeLessThan(60_000);
});

test('sorted by how many wait, the most are first, on all pages', async () => {
  const locks = memoryLocks();
  const { state } = await servePage({ locks });
  const names = Array.from({ length: 120 }, (_, index) => `key/${index}`);
  const leases = await Promise.all(names.map(async (key) => await locks.acquire(key)));
  const waiting = ['key/100', 'key/7', 'key/100'].map(async (key) => await (await locks.acquire(key)).release());
  await expect.poll(async () => (await locks.inspect('key/100')).waiters).toBe(2);
  const { keys, order, sortable } = await state({ order: 'waiting' });
  expect({ order, sortable }).toEqual({ order: 'waiting', sortable: true });
  expect(keys.slice(0, 4).map(({ key }) => key)).toEqual(['key/100', 'key/7', 'key/0', 'key/1']);
  expect((await state({ order: 'waiting', page: '2' })).keys.at(-1)?.key).toBe('key/119');
  expect((await state({ order: 'other' })).order).toBe('name');
  for (const lease of leases) await lease.release();
  await Promise.all(waiting);
});

test('browsers that look at once share the calls to the store', async () => {
  const locks = memoryLocks();
  await locks.acquire('key');
  let lists = 0;
  let inspected = 0;
  const counted = {
    name: locks.name,
    forceRelease: locks.forceRelease.bind(locks),
    list: (prefix?: string) => {
      lists += 1;
      return locks.list(prefix);
    },
    inspect: async (key: string) => {
      inspected += 1;
      return await locks.inspect(key);
    },
  };
  const { state } = await servePage({ locks: counted });
  const states = await Promise.all(Array.from({ length: 20 }, async () => await state()));
  expect(states.map(({ keys }) => keys.length)).toEqual(Array.from({ length: 20 }, () => 1));
  expect({ lists, inspected }).toEqual({ lists: 1, inspected: 1 });
});

test('a store that goes away is told as that, and the page goes on when it is back', { timeout: 60_000 }, async () => {
  await using server = await startRedis({ password: 'hidden' });
  const locks = await openLocks(`${server.url}?timeout=500ms`);
  onTestFinished(async () => await locks.close());
  await locks.acquire('key', { ttl: '10m' });
  const { request, state } = await servePage({ locks });
  expect((await state()).total).toBe(1);
  await server.pause();
  await expect.poll(async () => (await request('GET', '/state')).status).toBe(503);
  const { body } = await request('GET', '/state');
  expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/^redis /i) });
  expect(body).not.toContain('hidden');
  await server.resume();
  await expect.poll(async () => (await request('GET', '/state')).status).toBe(200);
  expect((await state()).total).toBe(1);
});

test('a reader that goes away in the middle of an answer harms nothing', async () => {
  const locks = memoryLocks();
  await locks.acquire('key');
  let looks = 0;
  let goOn = (): void => {};
  const slow = {
    name: locks.name,
    list: (prefix?: string) => locks.list(prefix),
    forceRelease: locks.forceRelease.bind(locks),
    inspect: async (key: string) => {
      looks += 1;
      if (looks === 1) await new Promise<void>((resolve) => (goOn = resolve));
      return await locks.inspect(key);
    },
  };
  const { port, state } = await servePage({ locks: slow });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await expect.poll(() => looks).toBe(1);
  socket.resetAndDestroy();
  goOn();
  expect((await state()).total).toBe(1);
});
