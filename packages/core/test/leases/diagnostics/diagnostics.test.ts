import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChannelMessages, ClaimMessage } from '../../../src/index.ts';
import { subscribe as subscribeTo } from '../../../src/index.ts';
import { createSetting, watch } from '../../support/setting.ts';
import {
  busyAtOnce,
  freeAtOnce,
  freeNothing,
  grantAtOnce,
  rejectAtOnce,
  renewAtOnce,
} from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const names = [
  'locks:acquire',
  'locks:wait',
  'locks:giveup',
  'locks:renew',
  'locks:release',
  'locks:withdraw',
  'locks:lost',
];
const ttl = 1_000;

/** Everything that is published until the end of the test. */
function listen() {
  const messages: [name: string, message: unknown][] = [];
  for (const name of names) {
    const listener = (message: unknown) => void messages.push([name.slice('locks:'.length), message]);
    subscribe(name, listener);
    onTestFinished(() => void unsubscribe(name, listener));
  }
  return messages;
}

/** Listens until the end of the test. */
function on<Name extends keyof ChannelMessages>(name: Name, listener: (message: ChannelMessages[Name]) => void) {
  onTestFinished(subscribeTo(name, listener));
}

/** Fails the test when anything is published: `publish` is replaced, not subscribed to. */
function forbidPublishing() {
  const published: string[] = [];
  for (const name of names) {
    Object.defineProperty(channel(name), 'publish', { configurable: true, value: () => published.push(name) });
    onTestFinished(() => void Reflect.deleteProperty(channel(name), 'publish'));
  }
  return published;
}

describe('diagnostics', () => {
  it('tell of a grant, its renewals and its release', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { renew: renewAtOnce, release: freeAtOnce } });
    const messages = listen();
    const acquired = watch(locks.acquire('key', { ttl, mode: 'shared' }));
    await runtime.advance(70);
    provider.open('tryAcquire').grant({ token: 5n });
    await runtime.advance(300);
    const { owner } = provider.attempts[0]?.claim ?? {};
    await acquired.value?.release();
    const about = { provider: 'scripted', key: 'key', owner, mode: 'shared' };
    expect(messages).toStrictEqual([
      ['acquire', { ...about, token: 5n, ttl, remaining: 918, waited: 70, attempts: 1 }],
      ['renew', { ...about, renewed: true, took: 0, remaining: 660 }],
      ['release', { ...about, heldFor: 300, freed: true }],
    ]);
  });

  it('tell how long a renewal took, and what was left of the lease then', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const messages = listen();
    watch(lease.renew());
    await runtime.advance(400);
    provider.open('renew').answer({});
    await settle();
    expect(messages).toEqual([['renew', expect.objectContaining({ renewed: true, took: 400, remaining: 588 })]]);
  });

  it('tell that a call begins, in its context, and end each such message once', async () => {
    const { runtime, provider, locks } = createSetting();
    const request = new AsyncLocalStorage<string>();
    const begun: unknown[] = [];
    const ended: unknown[] = [];
    on('locks:claim', ({ owner: _owner, ...rest }) => void begun.push({ ...rest, request: request.getStore() }));
    for (const name of ['locks:acquire', 'locks:giveup'] as const) on(name, ({ key }) => void ended.push([name, key]));
    provider.answers.tryAcquire = grantAtOnce;
    await request.run('one', () => locks.acquire('free', { ttl, mode: 'shared', permits: 3 }));
    delete provider.answers.tryAcquire;
    const late = request.run('two', () => watch(locks.acquire('late', { ttl, wait: 300 })));
    await runtime.advance(300);
    request.run('three', () => watch(locks.acquire('aborted', { signal: AbortSignal.abort() })));
    expect(late.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const about = { provider: 'scripted', mode: 'exclusive' };
    expect(begun).toEqual([
      { ...about, key: 'free', mode: 'shared', ttl, permits: 3, request: 'one' },
      { ...about, key: 'late', ttl, request: 'two' },
      { ...about, key: 'aborted', ttl: 30_000, request: 'three' },
    ]);
    expect(ended).toEqual([
      ['locks:acquire', 'free'],
      ['locks:giveup', 'late'],
      ['locks:giveup', 'aborted'],
    ]);
  });

  it('tell under which owner a call goes on whose grant came too late', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0, answers: { release: freeAtOnce } });
    const claims: ClaimMessage[] = [];
    on('locks:claim', (message) => void claims.push(message));
    watch(locks.acquire('key', { ttl }));
    const grant = provider.open('tryAcquire');
    await runtime.advance(ttl);
    grant.grant();
    await settle();
    expect(claims).toHaveLength(2);
    expect(claims[0]).not.toHaveProperty('replaces');
    expect(claims[1]?.replaces).toBe(claims[0]?.owner);
    expect(claims[1]?.owner).not.toBe(claims[0]?.owner);
  });

  it('tell of waiting once, and of how long and how often', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    const messages = listen();
    watch(locks.acquire('key', { ttl }));
    for (let index = 0; index < 3; index += 1) {
      provider.open('tryAcquire').busy(100);
      await runtime.advance(100);
    }
    provider.open('tryAcquire').grant();
    await settle();
    expect(messages.map(([name]) => name)).toEqual(['wait', 'acquire']);
    expect(messages[1]?.[1]).toMatchObject({ waited: 300, attempts: 4 });
  });

  it('tell of a claim that was given up, and why', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0, answers: { tryAcquire: busyAtOnce } });
    provider.answers.release = freeNothing;
    const messages = listen();
    expect(await locks.tryAcquire('single', { ttl })).toBeNull();
    const late = watch(locks.acquire('late', { ttl, wait: 200 }));
    await runtime.advance(200);
    const reason = new Error('shutting down');
    await locks.acquire('aborted', { ttl, signal: AbortSignal.abort(reason) }).catch(() => {});
    const told = messages.filter(([name]) => name === 'giveup').map(([, message]) => message);
    expect(told).toEqual([
      expect.objectContaining({ key: 'single', error: undefined, waited: 0, attempts: 1 }),
      expect.objectContaining({ key: 'late', error: late.error, waited: 200, attempts: 1 }),
      expect.objectContaining({ key: 'aborted', error: reason, waited: 0, attempts: 0 }),
    ]);
  });

  it('tell of a renewal that is unknown, and of one that is refused', async () => {
    const { provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const messages = listen();
    const error = new Error('connection lost');
    watch(lease.renew());
    provider.open('renew').reject(error);
    await settle();
    watch(lease.renew());
    provider.open('renew').answer(false);
    await settle();
    expect(messages.slice(0, 2)).toEqual([
      ['renew', expect.objectContaining({ owner: lease.owner, renewed: false, error })],
      ['renew', expect.objectContaining({ owner: lease.owner, renewed: false, took: 0, remaining: 988 })],
    ]);
    expect(messages[1]?.[1]).not.toHaveProperty('error');
    expect(messages[2]).toEqual(['lost', expect.objectContaining({ code: 'not-held', reason: lease.signal.reason })]);
  });

  it('do not tell of a success when the renewal was answered with nonsense', async () => {
    const { provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const messages = listen();
    watch(lease.renew());
    provider.open('renew').answer(undefined);
    await settle();
    expect(messages).toEqual([['renew', expect.objectContaining({ renewed: false, error: expect.any(Error) })]]);
  });

  it('tell of a release that is unknown, and of its repetition', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const messages = listen();
    const error = new Error('connection lost');
    watch(lease.release());
    provider.open('release').reject(error);
    provider.answers.release = freeAtOnce;
    await runtime.advance(100);
    expect(messages).toEqual([
      ['release', expect.objectContaining({ heldFor: 0, freed: false, error })],
      ['release', { provider: 'scripted', key: 'key', owner: lease.owner, mode: 'exclusive', heldFor: 0, freed: true }],
    ]);
  });

  it('tell how long a lost lease was held, and of a position in the queue that it was withdrawn', async () => {
    const { runtime, provider, locks, take } = createSetting();
    await take('lost', { ttl, renew: false });
    const messages = listen();
    provider.answers.tryAcquire = busyAtOnce;
    watch(locks.acquire('busy', { ttl, wait: 200 }));
    await runtime.advance(200);
    provider.open('release').answer(false);
    await runtime.advance(1_000);
    provider.open('release').answer(false);
    await settle();
    const releases = messages.filter(([name]) => name === 'release' || name === 'withdraw');
    expect(releases).toEqual([
      ['withdraw', expect.objectContaining({ key: 'busy', reason: 'given up', freed: false })],
      ['release', expect.objectContaining({ key: 'lost', freed: false, heldFor: 988 })],
    ]);
  });

  it('tell of a lease alone that it was released, also where a listener comes late', async () => {
    const { provider, locks, take } = createSetting();
    const lease = await take('late listener', { ttl });
    const { owner, mode } = await take('stuck', { ttl });
    watch(lease.release());
    const messages = listen();
    provider.open('release').answer(true);
    await settle();
    provider.answers.release = freeAtOnce;
    provider.inspecting = async (key) => ({ key, holders: [{ owner, mode }], waiters: 0 });
    await locks.forceRelease({ key: 'stuck', owner, mode });
    expect(messages).toEqual([
      ['release', expect.objectContaining({ key: 'late listener', freed: true, heldFor: 0 })],
      ['withdraw', expect.objectContaining({ key: 'stuck', owner, reason: 'forced', freed: true })],
    ]);
  });

  it('are not even made without a listener', async () => {
    const published = forbidPublishing();
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: grantAtOnce, renew: renewAtOnce } });
    provider.answers.release = freeAtOnce;
    const lease = await locks.acquire('a', { ttl });
    await runtime.advance(400);
    await lease.release();
    provider.answers.renew = (call) => call.answer(false);
    await locks.acquire('b', { ttl });
    await runtime.advance(400);
    provider.answers.tryAcquire = (call) => call.busy(100);
    provider.answers.release = rejectAtOnce;
    watch(locks.acquire('c', { ttl, wait: 300 }));
    await runtime.advance(5_000);
    expect(provider.calls.length).toBeGreaterThan(8);
    expect(published).toEqual([]);
  });
});
