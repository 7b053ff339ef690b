import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { Exception } from 'node-zookeeper-client';
import type { Transaction } from 'node-zookeeper-client';
import { describe, expect, test } from 'vitest';
import { createZookeeperGuard } from '../../src/index.ts';
import type { ZookeeperGuard, ZookeeperOptions } from '../../src/index.ts';
import { openProvider } from '../support/providers.ts';
import { ownServer, serversOf } from '../support/servers.ts';
import { called, connectClient } from '../support/client-sessions.ts';
import { ownPath } from '../support/sessions.ts';

const server = await ownServer({ tickTime: 200 });

/** The client of a team, and what it says of its transactions. */
interface Writer {
  /** Sends a write to `path` in one transaction with a check of the node at `checked`. */
  write(checked: string, path: string, text: string): Promise<string>;
  read(path: string): Promise<string>;
}

async function openWriter(): Promise<Writer> {
  const client = await connectClient(server.port, 3_000);
  const committed = (transaction: Transaction): Promise<string> =>
    new Promise((resolve, reject) => {
      transaction.commit((error, results: readonly { readonly err: number }[] | undefined) => {
        if (error === null || error === undefined) resolve('written');
        else if (results === undefined) reject(new Error(String(error)));
        else resolve(results[0]?.err === Exception.NO_NODE ? 'stale' : String(error));
      });
    });
  return {
    async write(checked, path, text) {
      return await committed(client.transaction().check(checked).setData(path, Buffer.from(text)));
    },
    async read(path) {
      return String(await called<Buffer>((callback) => client.getData(path, callback)));
    },
  };
}

interface Party {
  readonly locks: Locks;
  readonly guard: ZookeeperGuard;
}

function openParty(options: ZookeeperOptions = {}): Party {
  const provider = openProvider(server, options);
  return { locks: createLocks(provider), guard: createZookeeperGuard(provider) };
}

async function ownNode(party: Party): Promise<string> {
  const path = ownPath();
  const lease = await party.locks.acquire(`for ${path}`);
  await party.guard.write([{ type: 'create', path, data: 'first' }], lease);
  await lease.release();
  return path;
}

describe.each(['mutex', 'read-write', 'semaphore'] as const)('%s: a transaction of node-zookeeper-client', (recipe) => {
  test('writes while the lease holds, also after its node was rewritten, and not after its end', async () => {
    const party = openParty({ recipe });
    const path = await ownNode(party);
    const writer = await openWriter();
    const lease = await party.locks.acquire(path);
    const checked = party.guard.check(lease);
    expect(await writer.write(checked.path, path, 'held')).toBe('written');
    // With the same bytes, so that only the version of the node changes.
    expect(await writer.write(checked.path, checked.path, await writer.read(checked.path))).toBe('written');
    expect(await writer.write(checked.path, path, 'still held')).toBe('written');

    await lease.release();
    const next = await party.locks.acquire(path);
    expect(await writer.write(checked.path, path, 'late')).toBe('stale');
    expect(await writer.write(party.guard.check(next).path, path, 'next')).toBe('written');
    expect(await writer.read(path)).toBe('next');
    await next.release();
  });

  test('is refused after a release by force that the holder has not noticed', async () => {
    const [party, other] = [openParty({ recipe }), openParty({ recipe })];
    const path = await ownNode(party);
    const writer = await openWriter();
    const lease = await party.locks.acquire(path, { renew: false });
    await other.guard.write(
      [{ type: 'remove', path: party.guard.check(lease).path }],
      await other.locks.acquire('another'),
    );
    expect(lease.held).toBe(true);
    expect(await writer.write(party.guard.check(lease).path, path, 'late')).toBe('stale');
    expect(await writer.read(path)).toBe('first');
  });
});

describe('the check of a lease', () => {
  test('has a whole path, with the chroot and the root', async () => {
    const chroot = await ownNode(openParty());
    const provider = openProvider(`${serversOf(server)}${chroot}`, { root: '/mine' });
    const lease = await createLocks(provider).acquire('key');
    expect(createZookeeperGuard(provider).check(lease).path).toMatch(
      new RegExp(`^${chroot}/mine/key/_c_.*-lock-\\d{10}$`),
    );
    await lease.release();
  });

  test('is refused when the provider is closed', async () => {
    const provider = openProvider(server);
    const guard = createZookeeperGuard(provider);
    const lease = await createLocks(provider).acquire('closed');
    await provider.close();
    expect(() => guard.check(lease)).toThrow(expect.objectContaining({ code: 'LOCK_CLOSED' }));
  });
});
