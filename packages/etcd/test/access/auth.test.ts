import { createLocks } from '@locks/core';
import { startEtcd } from '@locks/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { open } from '../support/etcd.ts';
import { refusal } from '../support/refusal.ts';
import { changePassword, enableAuth } from '../support/auth.ts';

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

describe('refused at start, by name, without the password', () => {
  test('a wrong password', async () => {
    const error = await refusal({ url: at('app:wrong-secret@') });
    expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(error.message).toContain('does not accept the user or the password');
    expect(error.message).not.toContain('wrong-secret');
  });

  test('no user', async () => {
    const { code, message } = await refusal({ url: at('') });
    expect({ code, message }).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(message).toContain('set options "username" and "password"');
  });

  test('a prefix without rights', async () => {
    const { code, message } = await refusal({ url: at('app:secret@', 'others') });
    expect(code).toBe('LOCK_MISCONFIGURED');
    expect(message).toContain('grant the user "readwrite"');
  });
});
