import { createLocks } from '@locks/core';
import { expect, test } from 'vitest';
import { open, ownPrefix } from '../support/etcd.ts';
import { base64, gateway, put, valueOf } from '../support/values.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const clock = (): bigint => BigInt(Math.floor((performance.timeOrigin + performance.now()) * 1_000));

async function tokenOf(key: string, prefix: string, tokenFloor?: bigint): Promise<bigint> {
  const locks = createLocks(await open({ prefix }), tokenFloor === undefined ? {} : { tokenFloor });
  const token = await locks.withLock(key, (lease) => lease.token);
  await locks.close();
  return token;
}

test('tokens begin at the clock, as those of other stores', async () => {
  const before = clock();
  const token = await tokenOf('job', ownPrefix());
  expect(token).toBeGreaterThan(before);
  expect(token).toBeLessThan(before + 60_000_000n);
});

test('one claim with a floor raises the tokens of all keys, also those of other processes', async () => {
  const prefix = ownPrefix();
  const other = createLocks(await open({ prefix }));
  await other.withLock('one', () => {});
  const floor = clock() + 3_600_000_000n;
  expect(await tokenOf('two', prefix, floor)).toBeGreaterThan(floor);
  const raised = await valueOf(`${prefix}/base`);
  expect(await other.withLock('three', ({ token }) => token)).toBeGreaterThan(floor);
  // A floor that the base has passed raises nothing.
  await tokenOf('four', prefix, floor);
  expect(await valueOf(`${prefix}/base`)).toBe(raised);
  await other.close();
});

test('a token that a quorum gives raises later ones of all keys, and is that of its lease', async () => {
  const provider = await open();
  const claim = { key: 'one', owner: 'test/1', ttl: 20_000, mode: 'exclusive' } as const;
  await provider.tryAcquire(claim);
  const told = clock() + 3_600_000_000n;
  expect(await provider.renew(claim, told)).not.toBe(false);
  expect((await provider.inspect('one')).holders).toMatchObject([{ token: told }]);
  const next = await provider.tryAcquire({ ...claim, key: 'two', owner: 'test/2' });
  expect(next.granted && next.token).toBeGreaterThan(told);
  await provider.release(claim);
});

test('claims of processes that raise the base at once are not refused for it', async () => {
  const prefix = ownPrefix();
  const parties = await Promise.all([1, 2, 3, 4].map(async () => open({ prefix })));
  const floor = clock() + 3_600_000_000n;
  const grants = parties.flatMap((provider, party) =>
    Array.from({ length: 10 }, (_, index) =>
      provider.tryAcquire({
        key: `${party} ${index}`,
        owner: `test/${party}-${index}`,
        ttl: 20_000,
        mode: 'exclusive',
        floor: floor + BigInt(index) * 2_000_000n,
      }),
    ),
  );
  expect((await Promise.all(grants)).every(({ granted }) => granted)).toBe(true);
});

test('where the key of the base was removed, tokens go on', async () => {
  const prefix = ownPrefix();
  const locks = createLocks(await open({ prefix }), { tokenFloor: clock() + 3_600_000_000n });
  const first = await locks.withLock('job', ({ token }) => token);
  await gateway('kv/deleterange', { key: base64(`${prefix}/base`) });
  expect(await locks.withLock('job', ({ token }) => token)).toBeGreaterThan(first);
  await locks.close();
});

test('a base that cannot be read is named, with what to do', async () => {
  const prefix = ownPrefix();
  await put(`${prefix}/base`, 'not ours');
  await expect(open({ prefix })).rejects.toMatchObject(misconfigured(`${prefix}/base`));
});
