import { createLocks, createMemoryProvider, isLockError } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { createZookeeperGuard } from '../../src/index.ts';
import type { GuardedOperation, ZookeeperGuard } from '../../src/index.ts';
import type { Locks } from '@locks/core';
import type { SessionProvider } from '../../src/provider.ts';
import { getData } from '../../src/wire/requests.ts';
import { openSessionProvider } from '../support/providers.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200 });
let count = 0;

interface Party {
  readonly provider: SessionProvider;
  readonly locks: Locks;
  readonly guard: ZookeeperGuard;
}

function openParty(): Party {
  const provider = openSessionProvider(server);
  return { provider, locks: createLocks(provider), guard: createZookeeperGuard(provider) };
}

function ownPath(): string {
  count += 1;
  return `/guarded-${count}`;
}

async function read({ provider }: Party, path: string): Promise<string | undefined> {
  const answer = await provider.inSession((session) => session.send(getData(path)), 'a reading', path);
  return answer.ok ? answer.value.data.toString() : undefined;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (isLockError(error)) return error.code;
    throw error;
  }
  return 'committed';
}

describe('a write under the check of the holder’s node', () => {
  test('takes effect while the lease holds, and not after its end', async () => {
    const party = openParty();
    const path = ownPath();
    const lease = await party.locks.acquire(path);
    await party.guard.write([{ type: 'create', path, data: 'first' }], lease);
    await party.guard.write([{ type: 'setData', path, data: 'second', version: 0 }], lease);
    await lease.release();
    expect(await codeOf(party.guard.write([{ type: 'setData', path, data: 'late' }], lease))).toBe('LOCK_STALE');
    expect(await read(party, path)).toBe('second');
  });

  test('is refused after a release by force, by the servers', async () => {
    const [party, other] = [openParty(), openParty()];
    const path = ownPath();
    const lease = await party.locks.acquire(path);
    await party.guard.write([{ type: 'create', path, data: 'mine' }], lease);
    const { owner, key, mode } = lease;
    expect(await other.provider.release({ owner, key, mode, ttl: 30_000 })).toBe(true);
    expect(lease.held).toBe(true);
    expect(await codeOf(party.guard.write([{ type: 'setData', path, data: 'late' }], lease))).toBe('LOCK_STALE');
    expect(await read(party, path)).toBe('mine');
  });

  test('all or nothing, and which was refused', async () => {
    const party = openParty();
    const path = ownPath();
    const lease = await party.locks.acquire(path);
    const operations = [
      { type: 'create', path },
      { type: 'check', path, version: 7 },
    ] as const;
    await expect(party.guard.write(operations, lease)).rejects.toMatchObject({
      name: 'GuardedOperationError',
      index: 1,
      error: 'BAD_VERSION',
    });
    expect(await read(party, path)).toBeUndefined();
  });

  test.each([
    ['no array', {}],
    ['nothing', [undefined]],
    ['an unknown type', [{ type: 'write', path: '/a' }]],
    ['a path that is none', [{ type: 'check', path: 'a' }]],
    ['data that are a number', [{ type: 'setData', path: '/a', data: 1 }]],
    ['data that are null', [{ type: 'create', path: '/a', data: null }]],
    ['a version that is a fraction', [{ type: 'check', path: '/a', version: 1.5 }]],
    ['a version that is too high', [{ type: 'remove', path: '/a', version: 2 ** 31 }]],
    ['a version that is text', [{ type: 'setData', path: '/a', data: '', version: '1' }]],
    ['an unknown kind', [{ type: 'create', path: '/a', kind: 'eternal' }]],
    ['an ACL that is text', [{ type: 'create', path: '/a', acl: 'open' }]],
    ['an ACL with nothing in it', [{ type: 'create', path: '/a', acl: [{}] }]],
    ['more than a request may have', [{ type: 'create', path: '/a', data: 'x'.repeat(2 ** 20) }]],
  ])('refuses %s as LOCK_INVALID, and says what is wrong', async (_, operations) => {
    const party = openParty();
    const lease = await party.locks.acquire(ownPath());
    const wrong = operations as readonly GuardedOperation[];
    for (const commit of [party.guard.write(wrong, lease), party.guard.writeFenced(ownPath(), wrong, lease)]) {
      const error: unknown = await commit.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'LOCK_INVALID', message: expect.stringMatching(/guarded write/) as string });
    }
    await party.guard.write([], lease);
    expect(await codeOf(party.guard.writeFenced(1 as unknown as string, [], lease))).toBe('LOCK_INVALID');
  });
});

test('a write and a check are refused for ended leases, those of others and shared ones', async () => {
  const [party, other] = [openParty(), openParty()];
  const lease = await party.locks.acquire(ownPath());
  const shared = await party.locks.acquire(ownPath(), { mode: 'shared' });
  const ended = await party.locks.acquire(ownPath());
  await ended.release();
  for (const [{ guard }, refused, code] of [
    [party, ended, 'LOCK_STALE'],
    [other, lease, 'LOCK_STALE'],
    [party, shared, 'LOCK_INVALID'],
  ] as const) {
    expect(await codeOf(guard.write([], refused))).toBe(code);
    expect(() => guard.check(refused)).toThrow(expect.objectContaining({ code }));
  }
});

describe('a write under a token', () => {
  test('is refused once a later holder has been there', async () => {
    const party = openParty();
    const [path, fence] = [ownPath(), ownPath()];
    const first = await party.locks.acquire('token');
    await party.guard.writeFenced(fence, [{ type: 'create', path, data: 'first' }], first);
    await party.guard.writeFenced(fence, [{ type: 'setData', path, data: 'again' }], first);
    await first.release();
    const second = await party.locks.acquire('token');
    await party.guard.writeFenced(fence, [{ type: 'setData', path, data: 'second' }], second);
    expect(await codeOf(party.guard.writeFenced(fence, [{ type: 'remove', path }], first))).toBe('LOCK_STALE');
    expect(await read(party, path)).toBe('second');
    expect(await read(party, fence)).toBe(`${second.token}`);
  });

  test('of many at once only rising tokens pass, and the highest does', async () => {
    const party = openParty();
    const [path, fence] = [ownPath(), ownPath()];
    await party.guard.writeFenced(fence, [{ type: 'create', path, data: '0' }], { token: 0n, mode: 'exclusive' });
    const tokens = [5n, 3n, 9n, 1n, 7n, 8n, 2n, 6n, 4n];
    const codes = await Promise.all(
      tokens.map((token) =>
        codeOf(
          party.guard.writeFenced(fence, [{ type: 'setData', path, data: `${token}` }], { token, mode: 'exclusive' }),
        ),
      ),
    );
    expect(codes[2]).toBe('committed');
    expect(new Set(codes)).toEqual(new Set(['committed', 'LOCK_STALE']));
    expect([await read(party, path), await read(party, fence)]).toEqual(['9', '9']);
  });

  test('a fence needs a node above it, and data that are a token', async () => {
    const party = openParty();
    const lease = { token: 5n, mode: 'exclusive' } as const;
    expect(await codeOf(party.guard.writeFenced(`${ownPath()}/below`, [], lease))).toBe('LOCK_INVALID');
    const fence = ownPath();
    await party.guard.writeFenced(ownPath(), [{ type: 'create', path: fence, data: 'text' }], lease);
    expect(await codeOf(party.guard.writeFenced(fence, [], lease))).toBe('LOCK_INVALID');
  });
});

test.each([
  ['a provider of another backend', createMemoryProvider()],
  ['no provider', undefined],
])('a guard refuses %s', (_, provider) => {
  expect(() => createZookeeperGuard(provider as never)).toThrow(
    expect.objectContaining({
      code: 'LOCK_MISCONFIGURED',
      message: 'createZookeeperGuard: it needs a provider of createZookeeperProvider.',
    }),
  );
});
