import { expect, onTestFinished, test } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, Grant, LockProvider } from '../../../core/src/index.ts';
import { through } from '../../../core/test/support/through.ts';
import { VirtualRuntime, settle } from '../../../core/test/support/virtual-runtime.ts';

/** How far floors are above the members' clocks, with what whole ms add, in ms. */
const ahead = 20 + 1;

interface Setup {
  readonly world: VirtualRuntime;
  readonly quorum: LockProvider;
  /** How often a member was told a token. */
  readonly told: () => number;
  /** The highest clock of the members, in µs. */
  readonly clock: () => number;
}

/** Three members whose clocks are 1 s apart. `change`: makes a member of a provider. */
async function setUp(change: (provider: LockProvider) => LockProvider = (provider) => provider): Promise<Setup> {
  const world = new VirtualRuntime();
  const rates = [1, 1.001, 0.999];
  let told = 0;
  const runtimes = rates.map((rate) => new VirtualRuntime({ with: world, rate }));
  const members = runtimes.map((runtime) => {
    const provider = change(createMemoryProvider({ store: createMemoryStore({ runtime }) }));
    const renew = provider.renew.bind(provider);
    provider.renew = async (claim, token) => {
      if (token !== undefined) told += 1;
      return await renew(claim, token);
    };
    return provider;
  });
  await world.advance(1_000_000);
  const quorum = combine(members, { runtime: world });
  onTestFinished(() => quorum.close());
  const clock = (): number => Math.max(...runtimes.map(({ clock: { origin, now } }) => (origin + now()) * 1_000));
  return { world, quorum, told: () => told, clock };
}

let count = 0;

/** One acquire and release. */
async function take(quorum: LockProvider, key = 'job'): Promise<Grant> {
  count += 1;
  const claim: Claim = { key, owner: `me/${count}`, ttl: 10_000, mode: 'exclusive' };
  const answer = await quorum.tryAcquire(claim);
  if (!answer.granted) throw new Error('It is busy.');
  const { members = [] } = await quorum.inspect(key);
  // Without answers that are late all members have the token.
  expect(members.map(({ holders }) => holders?.[0]?.token)).toEqual([answer.token, answer.token, answer.token]);
  await quorum.release(claim);
  return answer;
}

test('members whose clocks differ give equal tokens once their clocks are known, and none is told', async () => {
  const { quorum, told } = await setUp();
  await take(quorum);
  expect(told()).toBeGreaterThan(0);
  const before = told();
  for (let time = 0; time < 10; time += 1) await take(quorum, `job ${time % 3}`);
  expect(told()).toBe(before);
});

test('tokens increase, and do not run away from the clocks, however often a key is taken', async () => {
  const { quorum, told, clock, world } = await setUp();
  let last = 0n;
  for (let time = 0; time < 2_000; time += 1) {
    const { token } = await take(quorum);
    expect(token).toBeGreaterThan(last);
    expect(Number(token) - clock()).toBeLessThan(ahead * 1_000 + 1_000);
    last = token;
    await world.advance(100);
  }
  // That was before the clocks were known.
  expect(told()).toBeLessThan(10);
});

test('clocks that were not read for long do not count', async () => {
  const { quorum, told, clock, world } = await setUp();
  await take(quorum);
  await world.advance(3_600_000);
  const before = told();
  const { token } = await take(quorum);
  expect(told()).toBeGreaterThan(before);
  expect(Number(token)).toBeLessThanOrEqual(clock());
});

test.each<[string, (provider: LockProvider) => void]>([
  ['cannot be read', (provider) => void delete (provider as { time?: unknown }).time],
  ['reject', (provider) => void (provider.time = async () => await Promise.reject(new Error('it is down')))],
  ['do not begin their tokens', (provider) => void (provider.time = async () => 0)],
])('where clocks %s, members are told the token', async (_, change) => {
  const { quorum, told } = await setUp((provider) => {
    const { time, register } = provider;
    const own = {
      ...through(provider, (call) => call()),
      time: time?.bind(provider),
      register: register?.bind(provider),
    } as LockProvider;
    change(own);
    return own;
  });
  for (let time = 0; time < 3; time += 1) {
    const before = told();
    await take(quorum, `job ${time}`);
    await settle();
    expect(told()).toBeGreaterThan(before);
  }
});
