import { startRedis } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { claimOf } from '../support/queue.ts';
import { collect, connect, ownPrefix } from '../support/redis.ts';
import { providerOver, stopAfterTest } from '../support/over.ts';

const odd = ['name', '}:queue', '{x}', '%7B', '}:token', ':queue', '*'];

test('a register is one string without an expiry, apart from all keys, and gone without a text', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const provider = providerOver(client, { prefix });
  for (const name of odd) expect(await provider.register?.(name, { from: undefined, to: name })).toBe(name);
  expect(await client.get(`{${prefix}}:register:name`)).toBe('name');
  const names = await client.keys(`*${prefix}*`);
  expect(names).toHaveLength(odd.length);
  for (const name of names) expect(await client.pttl(name), name).toBe(-1);
  expect(await collect(provider.list?.('') ?? [])).toEqual([]);
  for (const name of odd) expect(await provider.register?.(name, { from: name, to: undefined })).toBeUndefined();
  expect(await client.keys(`*${prefix}*`)).toEqual([]);
});

test('without a prefix, list shows keys and nothing that belongs to them or to registers', async () => {
  const server = await stopAfterTest(startRedis());
  const client = connect({}, server.url);
  const provider = providerOver(client, { prefix: '', restartGuard: 60_000 });
  for (const name of odd) await provider.register?.(name, { from: undefined, to: name });
  await client.set('{}:server', `${/run_id:\w+/.exec(await client.info('server'))?.[0]} 0`);
  await provider.tryAcquire(claimOf({ key: 'x' }));
  expect(await client.exists('{x}:token')).toBe(1);
  expect(await collect(provider.list?.('') ?? [])).toEqual(['x']);
});

test('a server that came back grants nothing for a while, and tells and changes registers', async () => {
  const server = await stopAfterTest(startRedis());
  const provider = providerOver(connect({}, server.url), { restartGuard: 60_000 });
  await expect(provider.tryAcquire(claimOf())).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(await provider.register?.('name', { from: undefined, to: 'text' })).toBe('text');
  expect(await provider.register?.('name')).toBe('text');
});

describe('a wrong name, and a wrong text, is refused', () => {
  test.each(['', 'x'.repeat(251), 'a b', 'é', 'a\n'])('%j', async (text) => {
    const provider = providerOver(connect(), { prefix: ownPrefix() });
    const invalid = { code: 'LOCK_INVALID', message: expect.stringContaining('printable ASCII') as string };
    await expect(provider.register?.(text)).rejects.toMatchObject(invalid);
    await expect(provider.register?.('name', { from: undefined, to: text })).rejects.toMatchObject(invalid);
  });
});
