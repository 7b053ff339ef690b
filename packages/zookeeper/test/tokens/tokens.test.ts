import { createLocks } from '@locks/core';
import type { Claim, Grant } from '@locks/core';
import { expect, test } from 'vitest';
import type { ZookeeperOptions } from '../../src/index.ts';
import type { SessionProvider } from '../../src/provider.ts';
import { exists } from '../../src/wire/requests.ts';
import { rewriteReplies } from '../support/rewrite.ts';
import { openSessionProvider } from '../support/providers.ts';
import { ownServer } from '../support/servers.ts';
import { ownProxy } from '../support/sessions.ts';

const server = await ownServer({ tickTime: 200 });
let count = 0;

function openProvider(options: ZookeeperOptions = {}): SessionProvider {
  return openSessionProvider(server, options);
}

function claimOn(key: string, rest: Partial<Claim> = {}): Claim {
  count += 1;
  return { key, owner: `test/${count}`, ttl: 30_000, mode: 'exclusive', ...rest };
}

async function granted(provider: SessionProvider, claim: Claim): Promise<Grant> {
  for (;;) {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const answer = await provider.tryAcquire(claim, wake);
    if (answer.granted) return answer;
    await woken;
  }
}

/** Raises the base of the root for another key, as far as this. */
async function raiseBase(provider: SessionProvider, by: bigint): Promise<void> {
  const claim = claimOn(`raising-${count}`);
  const { token } = await granted(provider, claim);
  expect(await provider.renew(claim, token + by)).not.toBe(false);
  await provider.release(claim);
}

test.each([{}, { recipe: 'read-write' }, { recipe: 'semaphore' }] as const)(
  'the base is raised while some wait: tokens rise in the order of their turns, and are shown: %j',
  async (options) => {
    const [one, other] = [openProvider(options), openProvider(options)];
    const key = `waiting-${count}`;
    const first = claimOn(key);
    const { token } = await granted(one, first);
    const [second, third] = [claimOn(key), claimOn(key)];
    const later = granted(other, second);
    await expect.poll(async () => (await one.tryAcquire(third)).granted).toBe(false);
    await raiseBase(one, 5n);
    await raiseBase(other, 3_000_000n);
    await one.release(first);
    const next = await later;
    expect(next.token).toBeGreaterThan(token + 3_000_000n);
    expect((await one.inspect(key)).holders).toMatchObject([{ token: next.token }]);
    // A claim after the raise must not be behind one from before it.
    const last = granted(one, third);
    await other.release(second);
    expect((await last).token).toBeGreaterThan(next.token);
    expect((await other.inspect(key)).holders).toMatchObject([{ token: (await last).token }]);
    await one.release(third);
  },
);

test('sharers from before and after a raise have different tokens, below those of the next exclusive one', async () => {
  const [one, other] = [openProvider(), openProvider()];
  const key = `sharing-${count}`;
  const first = claimOn(key);
  await granted(one, first);
  const sharers = [claimOn(key, { mode: 'shared' }), claimOn(key, { mode: 'shared' })];
  const early = Promise.all(sharers.map((claim) => granted(other, claim)));
  await expect.poll(async () => (await one.inspect(key)).waiters).toBe(2);
  await raiseBase(one, 1n);
  await one.release(first);
  const late = [claimOn(key, { mode: 'shared' }), claimOn(key, { mode: 'shared' })];
  const tokens = [...(await early), ...(await Promise.all(late.map((claim) => granted(one, claim))))].map(
    ({ token }) => token,
  );
  expect(new Set(tokens).size).toBe(4);
  const shown = (await one.inspect(key)).holders.map((holder) => holder.token);
  expect(new Set(shown)).toEqual(new Set(tokens));
  await Promise.all(sharers.map((claim) => other.release(claim)));
  await Promise.all(late.map((claim) => one.release(claim)));
  const last = await granted(other, claimOn(key));
  for (const token of tokens) expect(last.token).toBeGreaterThan(token);
});

test('an answer that was garbled on its way gives no token, and leaves no unreadable base', async () => {
  const root = `/garbled-${count}`;
  const path = `${root}/key/_c_`;
  let garbling = false;
  const replies = rewriteReplies(({ frame }) => {
    // The path of the node that was made, and behind it the number of the transaction.
    const at = frame.indexOf(path);
    if (!garbling || at === -1) return frame;
    garbling = false;
    frame.writeBigInt64BE(-(2n ** 62n), at + frame.readInt32BE(at - 4));
    return frame;
  });
  const proxy = await ownProxy(server, replies);
  const provider = openSessionProvider(proxy, { root });
  const first = claimOn('key');
  const { token } = await granted(provider, first);
  await provider.release(first);
  for (const more of [{}, { floor: token }]) {
    const claim = claimOn('key', more);
    garbling = true;
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(garbling).toBe(false);
    expect((await granted(provider, claim)).token).toBeGreaterThan(token);
    expect(await provider.release(claim)).toBe(true);
  }
  expect((await granted(openProvider({ root }), claimOn('key'))).token).toBeGreaterThan(token);
});

test('a garbled number of the transaction that raised the base is read again', async () => {
  let garbled = 0;
  const replies = rewriteReplies(({ frame }) => {
    // For the watch of the base, and for its value: header, no data, and metadata, of which the
    // transaction is the second number.
    if (garbled === 2 || frame.length !== 92 || frame.readInt32BE(20) !== 0) return frame;
    garbled += 1;
    frame.writeBigInt64BE(2n ** 62n, 32);
    return frame;
  });
  const proxy = await ownProxy(server, replies);
  const provider = openSessionProvider(proxy, { root: '/garbled-base' });
  expect(await provider.tryAcquire(claimOn('key'))).toMatchObject({ granted: true });
  expect(garbled).toBe(2);
});

test('a floor that no token can exceed is refused, and leaves nothing', async () => {
  const provider = openProvider({ root: '/high' });
  const high = 10n ** 18n;
  const claim = claimOn('key', { floor: high });
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  expect(await provider.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
  const next = claimOn('key', { floor: high - high / 5n });
  expect((await granted(provider, next)).token).toBeGreaterThan(high - high / 5n);
  await expect(provider.renew(next, high)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  expect(await provider.release(next)).toBe(true);
});

test('tokens that follow the clock elsewhere raise the base once a second at most', async () => {
  const provider = openProvider();
  const locks = createLocks(provider);
  const key = 'following';
  const lease = await locks.acquire(key);
  const before = await baseVersion(provider);
  const claim: Claim = { key, owner: lease.owner, ttl: 30_000, mode: 'exclusive' };
  for (let step = 1n; step <= 100n; step += 1n) {
    expect(await provider.renew(claim, lease.token + step * 1_000n)).not.toBe(false);
  }
  expect((await baseVersion(provider)) - before).toBe(1);
  await lease.release();
});

async function baseVersion(provider: SessionProvider): Promise<number> {
  const answer = await provider.inSession((session) => session.send(exists('/locks/@base')), 'a look', 'base');
  if (!answer.ok) throw new Error(answer.error);
  return answer.value.version;
}
