import { createLocks } from '@locks/core';
import { startEtcd } from '@locks/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { open } from '../support/etcd.ts';
import { refusal } from '../support/refusal.ts';
import { changePassword, enableAuth } from '../support/auth.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const server = await startEtcd();
afterAll(() => server.stop());
await enableAuth(server);
const at = (user: string, prefix = 'locks'): string => `${server.url.replace('://', `://${user}`)}/${prefix}`;

describe('a user with the rights on the prefix', () => {
  test('logs in again where the server has forgotten its token, and hears of its turn after that', async () => {
    const provider = await open({ url: at('app:secret@'), prefix: 'locks' });
    const locks = createLocks(provider);
    const lease = await locks.acquire('after a restart', { ttl: 20_000 });
    const next = locks.acquire('after a restart', { wait: 20_000 });
    await server.restart();
    await lease.release();
    expect((await next).token).toBeGreaterThan(lease.token);
    await locks.close();
  });

  test('follows a password that changes, by a function', async () => {
    let password = 'secret';
    const provider = await open({ url: at(''), prefix: 'locks', username: 'app', password: () => password });
    await provider.inspect('key');
    await changePassword(server, 'app', 'next secret');
    password = 'next secret';
    await server.restart();
    const locks = createLocks(provider);
    await locks.withLock('key', () => {});
    await locks.close();
    await changePassword(server, 'app', 'secret');
  });
});

test.each([
  ['a wrong password', 'app:wrong-secret@', 'locks', 'does not accept the user or the password'],
  ['no user', '', 'locks', 'set options "username" and "password"'],
  ['a prefix without rights', 'app:secret@', 'others', 'grant the user "readwrite"'],
])('%s is refused at start, by name, without the password', async (_what, user, prefix, message) => {
  const error = await refusal({ url: at(user, prefix) });
  expect(error).toMatchObject(misconfigured(message));
  expect(error.message).not.toContain('wrong-secret');
});
