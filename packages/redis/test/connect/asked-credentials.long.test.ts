import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { otherSelfSigned, selfSigned, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { deployments } from '../support/deployed.ts';
import type { Deployed } from '../support/deployed.ts';
import { connect, eventually } from '../support/redis.ts';
import { startTlsFront } from '../support/tls.ts';
import { opened, stopAfterTest } from '../support/over.ts';
import { served, startLoad } from '../../../core/test/support/load.ts';
import { lockError, unavailable } from '../../../core/test/support/lock-error.ts';

const secret = 'hunter2';

/** Rotates the password three times under load, once before and twice after it is told. */
async function rotate({ everywhere, urlOf }: Deployed, options: object): Promise<void> {
  let password = 'old';
  let asked = 0;
  const give = async (): Promise<string> => {
    asked += 1;
    await sleep(5);
    return password;
  };
  const config = { url: urlOf(), ttl: 20_000, options: { ...options, username: 'locker', password: give } };
  const locks = await opened(openLocks(config));
  const held = await locks.acquire('held');
  // Twenty workers take five keys.
  const load = startLoad([locks, locks, locks, locks], ['a', 'b', 'c', 'd', 'e']);
  const worked = async (what: string): Promise<void> => {
    const before = load.counts();
    await eventually(what, () => served(load, before));
  };
  for (const [index, next] of ['second', 'third', 'fourth'].entries()) {
    const before = asked;
    await worked('work');
    if (index === 0) password = next;
    await everywhere('ACL', 'SETUSER', 'locker', 'resetpass', `>${next}`);
    await everywhere('CLIENT', 'KILL', 'USER', 'locker').catch(() => {});
    // Connections are refused until the function gives the new one.
    await sleep(index * 100);
    password = next;
    await eventually('another connection', () => asked > before);
    await worked('work over it');
  }
  expect(await load.stop()).toMatchObject({ doubleHolds: 0, lost: 0, codes: new Set() });
  expect(held.held).toBe(true);
  expect(held.signal.aborted).toBe(false);
  expect(await held.release()).toBe(true);
}

const [[, oneServer], ...others] = deployments as typeof deployments & [(typeof deployments)[0]];

/** On a busy machine each connection takes a while. */
const limit = 90_000;

test.each(libraries)(
  'a password that changes under load, on one server: %s',
  async (library) => {
    await rotate(await oneServer(), { library });
  },
  limit,
);

describe.each(others)('a password that changes under load, on %s', (_name, start) => {
  test.each(['ioredis', 'iovalkey'])('%s', async (library) => await rotate(await start(), { library }), limit);
});

describe.each(libraries)('functions, with %s', (library) => {
  async function start(): Promise<{ readonly server: ServerHandle; cut(): Promise<void> }> {
    const server = await stopAfterTest(startRedis());
    const admin = connect({}, server.url);
    await admin.config('SET', 'requirepass', secret);
    return { server, cut: async () => void (await admin.call('CLIENT', 'KILL', 'SKIPME', 'yes')) };
  }

  async function open(server: ServerHandle, options: object): Promise<Locks> {
    return await opened(openLocks({ url: server.url, options: { library, timeout: '1s', ...options } }));
  }

  test.each([
    ['fails', () => Promise.reject(new Error('the vault is sealed')), 'LOCK_UNAVAILABLE', /"password" failed; see/],
    ['throws', failing, 'LOCK_UNAVAILABLE', /"password" failed; see the cause/],
    [
      'gives no text',
      () => ({ secret }),
      'LOCK_MISCONFIGURED',
      /"password" must return a string, and returned an object/,
    ],
    ['gives nothing', () => undefined, 'LOCK_MISCONFIGURED', /"password" must return a string, and returned undefined/],
    ['gives a wrong one', () => `not ${secret}`, 'LOCK_MISCONFIGURED', /Check the user name and the password/],
  ])('one that %s', async (_what, password, code, message) => {
    const { server } = await start();
    const error: unknown = await open(server, { password }).catch((reason: unknown) => reason);
    expect(error).toMatchObject(lockError(code, message));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  });

  test('one that is silent', async () => {
    const { server } = await start();
    const password = (): Promise<never> => new Promise(() => {});
    const since = performance.now();
    await expect(open(server, { password, connectTimeout: '300ms' })).rejects.toMatchObject(
      unavailable(/"password" did not answer .* within 300 ms/),
    );
    expect(performance.now() - since).toBeLessThan(2_000);
  });

  test('one that fails later: calls say why, and go on once it gives an answer', async () => {
    const { server, cut } = await start();
    const sealed = new Error('the vault is sealed');
    let failure: Error | undefined;
    const password = async (): Promise<string> => {
      if (failure !== undefined) throw failure;
      return secret;
    };
    const locks = await open(server, { password });
    failure = sealed;
    await cut();
    await eventually('the reason', async () => {
      const error: unknown = await locks.inspect('job').catch((reason: unknown) => reason);
      return isLockError(error, 'LOCK_UNAVAILABLE') && error.cause === sealed;
    });
    const waiting = locks.acquire('job', { wait: 20_000 });
    await sleep(300);
    failure = undefined;
    await (await waiting).release();
  });

  test('close() does not wait for one that is silent', async () => {
    const { server, cut } = await start();
    let silent = false;
    const password = (): Promise<string> => (silent ? new Promise(() => {}) : Promise.resolve(secret));
    const locks = await open(server, { password });
    silent = true;
    await cut();
    await eventually('the loss', async () =>
      isLockError(await locks.inspect('job').catch((reason: unknown) => reason)),
    );
    const since = performance.now();
    await locks.close();
    expect(performance.now() - since).toBeLessThan(1_000);
  });

  test('options of TLS: a certificate of another authority is accepted by the next connection', async () => {
    const server = await stopAfterTest(startRedis());
    const front = await startTlsFront(server);
    let ca: string = selfSigned.cert;
    const tls = async (): Promise<object> => ({ ca });
    const locks = await opened(openLocks({ url: `rediss://127.0.0.1:${front.port}`, options: { library, tls } }));
    const lease = await locks.acquire('job');
    ca = otherSelfSigned.cert;
    front.renew(otherSelfSigned);
    await eventually('another connection', async () => {
      const found = await locks.inspect('job').catch(() => undefined);
      return found?.holders.length === 1;
    });
    expect(await lease.release()).toBe(true);
  });
});

function failing(): never {
  throw new Error('the vault is sealed');
}
