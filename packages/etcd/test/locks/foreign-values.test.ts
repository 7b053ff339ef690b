import { createLocks } from '@locks/core';
import { collect, eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { open, ownPrefix } from '../support/etcd.ts';
import { base64, gateway, put } from '../support/values.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const values = ['not json', '', 'null', '{"mode":"upgradable","ttl":1000}', '{"mode":"shared","token":{}}'];

test('what another program wrote below the prefix is not shown, and does not hide what is ours', async () => {
  const prefix = ownPrefix();
  const provider = await open({ prefix });
  const locks = createLocks(provider);
  await using lease = await locks.acquire('ours');
  for (const [index, value] of values.entries()) {
    await put(`${prefix}/claims/ours/other ${index}`, value);
    await put(`${prefix}/claims/theirs/${index}`, value);
  }
  for (const name of ['no owner', '%zz/owner']) await put(`${prefix}/claims/${name}`, '{"mode":"shared","ttl":1000}');
  expect(await collect(provider.list?.('') ?? [])).toEqual(['ours']);
  expect(await provider.inspect('ours')).toMatchObject({ holders: [{ token: lease.token }], waiters: 0 });
  expect(await provider.inspect('theirs')).toMatchObject({ holders: [], waiters: 0 });
});

test.each(values)('a claim beside the value %s is refused, with the key in etcd', async (value) => {
  const prefix = ownPrefix();
  const name = `${prefix}/claims/job/other`;
  await put(name, value);
  const locks = createLocks(await open({ prefix }));
  await expect(locks.acquire('job')).rejects.toMatchObject(misconfigured(name));
});

test('a claim that waits hears of such a value, and its process goes on', async () => {
  const prefix = ownPrefix();
  const provider = await open({ prefix });
  const locks = createLocks(provider);
  const lease = await locks.acquire('job');
  const refused = locks.acquire('job', { wait: 20_000 }).catch((error: unknown) => error);
  await eventually('the second in the queue', async () => (await provider.inspect('job')).waiters === 1);
  const { kvs } = (await gateway('kv/range', {
    key: base64(`${prefix}/claims/job/`),
    range_end: base64(`${prefix}/claims/job0`),
    sort_target: 'CREATE',
    limit: 1,
  })) as { kvs: { key: string }[] };
  await gateway('kv/put', { key: kvs[0]?.key, value: base64('not json') });
  expect(await refused).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await lease.release();
  await locks.close();
});
