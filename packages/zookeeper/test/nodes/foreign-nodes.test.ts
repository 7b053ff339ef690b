import { createLocks } from '@locks/core';
import { collect } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import { create, getData } from '../../src/wire/requests.ts';
import type { Acl } from '../../src/wire/records.ts';
import { openAcl, openClient, ownPath, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });
const client = await openClient([server]);

/** Nodes of an application below the root of locks: settings, a queue, what looks like locks. */
const foreign: Readonly<Record<string, string>> = {
  config: 'a/b',
  'config/db': '{"owner":"a/b"}',
  queue: '',
  'queue/qn-0000000001': '{"owner":"a/b"}',
  'queue/qn-0000000002': '{"owner":',
  pool: '',
  'pool/locks': '',
  'pool/locks/lock-0000000001': 'a/b',
  'pool/leases': '',
  'pool/leases/size': '5',
  leaf: 'a/b',
  '@settings': '',
  '%zz': '',
};

/** All users may make nodes below a node, and read none. */
const onlyMake = [{ scheme: 'world', id: 'anyone', permissions: 4 }];

async function write(path: string, text: string, acl: readonly Acl[] = openAcl): Promise<void> {
  valueOf(await client.send(create({ path, data: Buffer.from(text), acl, kind: 'persistent' })));
}

test.each(['mutex', 'read-write', 'semaphore'] as const)(
  'nodes of an application are not listed or shown, and none is removed: %s',
  async (recipe) => {
    const root = ownPath();
    await write(root, '');
    for (const [path, data] of Object.entries(foreign)) await write(`${root}/${path}`, data);
    await write(`${root}/closed`, '', onlyMake);
    await write(`${root}/closed/lock-0000000001`, '', onlyMake);
    const locks = createLocks(openProvider(server, { root, recipe }));
    const lease = await locks.acquire('ours');
    const beside = { 'ours/config': 'a/b', [`ours/${recipe === 'semaphore' ? 'locks/' : ''}job-0000009999`]: 'a/b' };
    for (const [path, data] of Object.entries(beside)) await write(`${root}/${path}`, data);

    expect(await collect(locks.list())).toEqual(['ours']);
    const { holders, waiters } = await locks.inspect('ours');
    expect(holders).toEqual([expect.objectContaining({ owner: lease.owner, token: lease.token })]);
    expect(waiters).toBe(0);
    for (const key of ['config', 'queue', 'pool', 'leaf']) {
      expect(await locks.inspect(key), key).toMatchObject({ holders: [], waiters: 0 });
      for (const owner of ['a/b', 'qn-0000000001', 'lock-0000000001', 'size', 'db'])
        for (const mode of ['exclusive', 'shared'] as const)
          expect(await locks.forceRelease({ key, owner, mode }), `${key} ${owner}`).toBe(false);
    }
    expect(await locks.forceRelease({ key: 'ours', owner: 'job-0000009999', mode: 'exclusive' })).toBe(false);
    expect(await locks.forceRelease(holders[0]!)).toBe(true);
    await locks.close();
    for (const [path, data] of Object.entries({ ...foreign, ...beside }))
      expect(valueOf(await client.send(getData(`${root}/${path}`))).data.toString(), path).toBe(data);
  },
);
