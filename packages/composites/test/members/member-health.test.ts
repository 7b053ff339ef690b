import { expect, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { LockError, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { claimOf } from '../support/combined.ts';
import { through } from '../../../core/test/support/through.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

/** A quorum whose first member rejects what `refusal` gives an error for. */
function setting() {
  const runtime = new VirtualRuntime();
  const faults: {
    /** `silence`: it never answers. */
    refusal: (call: string) => Error | 'silence' | undefined;
    outage: Error | undefined;
  } = { refusal: () => undefined, outage: undefined };
  const first = createMemoryProvider({ runtime });
  const unless = async <T>(send: () => Promise<T>, call: string): Promise<T> => {
    const refusal = faults.refusal(call);
    if (refusal === 'silence') return await new Promise<never>(() => {});
    if (refusal !== undefined) throw refusal;
    return await send();
  };
  const member: LockProvider = {
    ...through(first, unless),
    outage: () => faults.outage,
  };
  const others = [createMemoryProvider({ runtime }), createMemoryProvider({ runtime })];
  const provider = combine([member, ...others], { runtime });
  const told = listen('locks:member');
  let count = 0;
  /** One acquire and release, and time for what comes late. */
  const take = async (pause = 100): Promise<void> => {
    const claim = claimOf(`me/${(count += 1)}`);
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    await provider.release(claim);
    await runtime.advance(pause);
  };
  return { runtime, faults, provider, told, take };
}

const about = { provider: 'combine', member: 'member 1 of 3 (memory)', index: 0 };
const answers = { ...about, state: 'answers', suspect: false };
const refuses = (error: unknown) => ({ ...about, state: 'refuses', suspect: true, error });
const refused = (text: string, options: object = {}): LockError => new LockError('LOCK_UNAVAILABLE', text, options);

test('a refusal is told once it has lasted, however many calls hear it, and its end once', async () => {
  const { faults, told, take } = setting();
  const error = refused('OOM');
  faults.refusal = () => error;
  await take();
  expect(told).toEqual([]);
  for (let call = 0; call < 10; call += 1) await take();
  expect(told).toEqual([refuses(error)]);
  faults.refusal = () => undefined;
  for (let call = 0; call < 10; call += 1) await take();
  expect(told).toEqual([refuses(error), answers]);
});

test('one call is enough: it needs no second one to be told', async () => {
  const { faults, told, take } = setting();
  const error = refused('NOAUTH');
  faults.refusal = () => error;
  await take(600);
  expect(told).toEqual([refuses(error)]);
});

test('a connection that is made again at once is not told', async () => {
  const { faults, told, take } = setting();
  faults.refusal = () => refused('Connection is closed');
  await take();
  faults.refusal = () => undefined;
  for (let call = 0; call < 10; call += 1) await take();
  expect(told).toEqual([]);
});

test('a member that renews and grants nothing refuses, until it grants', async () => {
  const { faults, told, take, provider, runtime } = setting();
  const held = { ...claimOf('holder/1'), key: 'long', ttl: 60_000 };
  await provider.tryAcquire(held);
  const error = refused('OOM');
  faults.refusal = (call) => (call === 'tryAcquire' ? error : undefined);
  for (let call = 0; call < 10; call += 1) {
    await take();
    expect(await provider.renew(held)).toBeTruthy();
  }
  expect(told).toEqual([refuses(error)]);
  faults.refusal = () => undefined;
  expect(await provider.renew(held)).toBeTruthy();
  await runtime.advance(1_000);
  expect(told).toHaveLength(1);
  await take();
  expect(told).toEqual([refuses(error), answers]);
});

test('renewals alone tell of a refusal, and of its end', async () => {
  const { faults, told, provider, runtime } = setting();
  const held = claimOf('holder/1');
  await provider.tryAcquire(held);
  const error = refused('READONLY');
  faults.refusal = (call) => (call === 'renew' ? error : undefined);
  await provider.renew(held);
  await runtime.advance(1_000);
  expect(told).toEqual([refuses(error)]);
  faults.refusal = () => undefined;
  await provider.renew(held);
  await runtime.advance(1_000);
  expect(told).toEqual([refuses(error), answers]);
});

test('each reason is told once: not again for another key, or when reasons alternate', async () => {
  const { faults, told, take } = setting();
  let count = 0;
  faults.refusal = () => {
    count += 1;
    const place = count % 4 === 0 ? ' script: 05af3, on @user_script:7.' : '';
    const text = count % 2 === 0 ? `READONLY You can't write.${place}` : 'connect ECONNREFUSED 127.0.0.1:6379';
    const cause = new Error(text);
    return refused(`Redis failed at "key-${count}"`, { cause });
  };
  for (let call = 0; call < 30; call += 1) await take();
  expect(told.map(({ state }) => state)).toEqual(['refuses', 'refuses']);
});

test('that there is no connection is no reason where the provider, or an earlier call, knows one', async () => {
  const { faults, told, take } = setting();
  const readOnly = refused('READONLY');
  faults.refusal = () => readOnly;
  await take();
  faults.refusal = () => refused('its client has no connection', { sent: false });
  for (let call = 0; call < 10; call += 1) await take();
  expect(told).toEqual([refuses(readOnly)]);
  faults.outage = new Error('connect ECONNREFUSED');
  for (let call = 0; call < 10; call += 1) await take();
  const both = [refuses(readOnly), refuses(faults.outage)];
  expect(told).toEqual(both);
  faults.outage = undefined;
  for (let call = 0; call < 10; call += 1) await take();
  expect(told).toEqual(both);
});

test('the reason that a provider knows is not followed by none', async () => {
  const { faults, told, take } = setting();
  faults.refusal = () => refused('its client has no connection', { sent: false });
  const outage = new Error('connect ECONNREFUSED');
  faults.outage = outage;
  for (let call = 0; call < 10; call += 1) await take();
  faults.outage = undefined;
  for (let call = 0; call < 10; call += 1) await take();
  expect(told).toEqual([refuses(outage)]);
});

test('a member that is silent because it is refused is told as refusing', async () => {
  const { faults, told, provider, runtime } = setting();
  faults.refusal = () => 'silence';
  const outage = refused('WRONGPASS');
  faults.outage = outage;
  const attempt = provider.tryAcquire(claimOf('me/0'));
  await runtime.advance(20_000);
  expect(await attempt).toMatchObject({ granted: true });
  const released = provider.release(claimOf('me/0'));
  await runtime.advance(20_000);
  await released;
  expect(told).toEqual([refuses(outage)]);
});

test('a refusal of the claim, as of a wrong option, says nothing of the member', async () => {
  const { faults, told, provider, runtime } = setting();
  faults.refusal = () => new LockError('LOCK_INVALID', 'ttl');
  await expect(provider.tryAcquire(claimOf('me/1'))).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  await runtime.advance(1_000);
  expect(told).toEqual([]);
});

test('what calls hear when the composite closes is no refusal', async () => {
  const { faults, told, provider, runtime, take } = setting();
  faults.refusal = () => new LockError('LOCK_CLOSED', 'closed');
  await take(0);
  const closing = provider.close();
  await runtime.advance(1_000);
  await closing;
  expect(told).toEqual([]);
  expect(runtime.pendingTimers).toBe(0);
});

test('inspect has a place for each member, with the reason where it told nothing', async () => {
  const { faults, provider } = setting();
  await provider.tryAcquire(claimOf('me/1'));
  faults.refusal = () => refused('It is down.');
  const { members, holders } = await provider.inspect('job');
  expect(holders).toMatchObject([{ owner: 'me/1' }]);
  expect(members).toMatchObject([
    { error: { code: 'LOCK_UNAVAILABLE', message: 'member 1 of 3 (memory): It is down.' } },
    { key: 'job', holders: [{ mode: 'exclusive' }] },
    { key: 'job', holders: [{ mode: 'exclusive' }] },
  ]);
});

test('a migration tells of its stores by their names, and keeps their places', async () => {
  const runtime = new VirtualRuntime();
  const told = listen('locks:member');
  const [from, to] = [createMemoryStore({ runtime }), createMemoryStore({ runtime })].map((store) =>
    createMemoryProvider({ store, runtime }),
  ) as [LockProvider, LockProvider];
  const down = refused('It is down.');
  let isDown = false;
  const unlessDown = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isDown) throw down;
    return await call();
  };
  const register: LockProvider['register'] = (name, change) =>
    unlessDown(async () => await from.register?.(name, change));
  const lost: LockProvider = { ...from, ...through(from, unlessDown), register };
  const provider = migrate({ name: 'move', from: lost, to, phase: 'both', runtime });
  const before = provider.tryAcquire(claimOf('me/0'));
  await runtime.advance(1_000);
  expect(await before).toMatchObject({ granted: true });
  await provider.release(claimOf('me/0'));
  isDown = true;
  const attempt = provider.tryAcquire(claimOf('me/1')).catch((error: unknown) => error);
  await runtime.advance(1_000);
  expect(await attempt).toMatchObject({
    message: expect.stringMatching(/store "from" \(memory\): It is down\./) as string,
  });
  const store = { provider: 'migrate', member: 'store "from" (memory)', index: 0 };
  expect(told).toEqual([{ ...store, state: 'refuses', suspect: true, error: down }]);
  isDown = false;
  const again = provider.tryAcquire(claimOf('me/2'));
  await runtime.advance(1_000);
  expect(await again).toMatchObject({ granted: true });
  expect(told.slice(1)).toEqual([{ ...store, state: 'answers', suspect: false }]);
  const one = migrate({ name: 'other', from, to, phase: 'to', settle: 0, runtime });
  const granted = one.tryAcquire(claimOf('me/3'));
  await runtime.advance(1_000);
  await granted;
  expect((await one.inspect('job')).members).toMatchObject([{ error: { message: /not asked/ } }, { key: 'job' }]);
});
