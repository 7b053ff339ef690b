import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../support/listen.ts';
import type { CombinedProvider } from '../../../../composites/src/combine/combined-provider.ts';
import type { MigratingProvider } from '../../../../composites/src/migrate/migrate.ts';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../src/index.ts';
import { combine, migrate } from '../../../../composites/src/index.ts';
import type { Lease, LockProvider } from '../../../src/index.ts';
import { breakable } from '../../support/breakable.ts';
import { createFreeSetting, createSetting, watch } from '../../support/setting.ts';
import { rejectAtOnce, renewAtOnce } from '../../support/scripted-provider.ts';
import type { Watched } from '../../support/setting.ts';
import { twoProcesses } from '../../support/two-processes.ts';
import type { TwoProcesses } from '../../support/two-processes.ts';
import { VirtualRuntime } from '../../support/virtual-runtime.ts';

/** When a waiter of another process gets the key, in ms from now. */
async function freeAfter({ runtime, two }: TwoProcesses, key: string): Promise<number> {
  const start = runtime.time;
  const waiting: Watched<Lease> = watch(two.acquire(key), runtime);
  await runtime.advance(20_000);
  expect(waiting.state).toBe('fulfilled');
  await waiting.value?.release();
  return (waiting.at ?? Infinity) - start;
}

describe('atLeast', () => {
  it('reaches from the grant, however often the lease is renewed', async () => {
    const world = twoProcesses();
    const lease = await world.one.acquire('job', { atLeast: 5_000 });
    await world.runtime.advance(4_500);
    expect(await lease.release()).toBe(true);
    // Clocks may differ by 1 % of what has passed.
    expect(await freeAfter(world, 'job')).toBe(500 + 45);
  });

  it.each([
    [5_000, 2],
    [3_000, 1],
  ])('asks for the whole ttl where the store tells of less: %i ms', async (atLeast, calls) => {
    const memory = createMemoryProvider();
    const provider = breakable(memory);
    let asked = 0;
    // As where a release assigned the key a while ago.
    provider.tryAcquire = async (claim, wake) => {
      const answer = await memory.tryAcquire(claim, wake);
      asked += 1;
      return answer.granted && asked === 1 ? { ...answer, hold: 4_000 } : answer;
    };
    const locks = createLocks(provider, { ttl: 6_000 });
    onTestFinished(() => locks.close());
    await locks.acquire('job', { atLeast });
    expect(asked).toBe(calls);
  });

  it('is shorter than the ttl without effect on the hold', async () => {
    const { provider, take } = createFreeSetting();
    await take('job', { ttl: 1_000, atLeast: 400 });
    expect(provider.attempts[0]?.claim.ttl).toBe(1_000);
  });

  it('promises no validity beyond the ttl', async () => {
    const { runtime, provider, take } = createSetting({ answers: { renew: rejectAtOnce } });
    const lease = await take('job', { ttl: 1_000, atLeast: 60_000, renew: false });
    expect(lease.remaining).toBe(988);
    await runtime.advance(988);
    expect(lease.held).toBe(false);
    expect(provider.releases).toEqual([]);
  });

  it('is refused for several keys and permits at once', async () => {
    const { one } = twoProcesses();
    const refused = { code: 'LOCK_INVALID', message: expect.stringContaining('"atLeast" (100)') as unknown };
    await expect(one.multiLock(['a', 'b']).acquire({ atLeast: 100 })).rejects.toMatchObject(refused);
    await expect(one.semaphore('c', 3).take(2).acquire({ atLeast: 100 })).rejects.toMatchObject(refused);
  });
});

describe('lockDelay', () => {
  it('is counted from a loss, though a renewal was answered a moment before', async () => {
    const { runtime, provider, take } = createFreeSetting();
    const since = runtime.time;
    await take('disk', { ttl: 1_000, lockDelay: 5_000, maxHold: 500 });
    await runtime.advance(600);
    expect(provider.renewals.map(({ at, claim }) => [at, claim.ttl])).toEqual([[since + 500, 5_000]]);
    expect(provider.releases).toEqual([]);
  });

  it('needs a hold that outlasts it: the grant is handed back otherwise', async () => {
    const { provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => call.grant({ validity: 4_000 });
    const taking = locks.tryAcquire('disk', { ttl: 1_000, lockDelay: 5_000 });
    await expect(taking).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      cause: { message: expect.stringContaining('lockDelay') as unknown },
    });
    expect(provider.releases).toHaveLength(1);
  });

  it('may be as long as the longest ttl, beside that', async () => {
    const { provider, locks } = createFreeSetting();
    const lease = await locks.acquire('disk', { ttl: '24h', lockDelay: '24h' });
    expect(provider.attempts[0]?.claim).toMatchObject({ ttl: 172_800_000, lease: 86_400_000 });
    expect(lease.remaining).toBeLessThanOrEqual(86_400_000);
    await expect(locks.acquire('disk', { lockDelay: 86_400_001 })).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  });
});

describe('a key that rests', () => {
  it('is freed by an operator', async () => {
    const world = twoProcesses();
    const lease = await world.one.acquire('job', { atLeast: 5_000 });
    await lease.release();
    const { holders } = await world.two.inspect('job');
    expect(holders.map(({ owner }) => owner)).toEqual([lease.owner]);
    expect(await world.two.forceRelease(holders[0]!)).toBe(true);
    expect(await freeAfter(world, 'job')).toBe(0);
  });

  it('rests once: its last renewal follows one in flight, and no other comes', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('job', { ttl: 1_000, atLeast: 5_000 });
    await runtime.advance(400);
    expect(provider.renewals).toHaveLength(1);
    const releasing = watch(lease.release());
    await runtime.advance(100);
    expect([provider.renewals.length, releasing.state]).toEqual([1, 'open']);
    provider.renewals[0]?.answer({});
    await runtime.advance(100);
    expect(provider.renewals.map(({ claim }) => claim.ttl)).toEqual([4_676, 4_504]);
    provider.renewals[1]?.answer({});
    await runtime.advance(10_000);
    expect([releasing.value, provider.renewals.length, provider.releases.length]).toEqual([true, 2, 0]);
  });

  it('has its last renewal repeated while the answer is unknown, with what is left', async () => {
    const { runtime, provider, take } = createSetting({ answers: { renew: rejectAtOnce } });
    const since = runtime.time;
    const lease = await take('job', { ttl: 1_000, atLeast: 5_000, renew: false });
    const releasing = watch(lease.release());
    await runtime.advance(1_000);
    expect(releasing.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    provider.answers.renew = renewAtOnce;
    await runtime.advance(10_000);
    const last = provider.renewals.at(-1)!;
    expect(last.at + last.claim.ttl - since).toBeGreaterThanOrEqual(5_000);
    expect(last.at + last.claim.ttl - since).toBeLessThanOrEqual(5_002);
    expect(provider.releases).toEqual([]);
  });

  it('is told of by diagnostics', async () => {
    const messages = listen('locks:release');
    const { one } = twoProcesses();
    await (await one.acquire('told', { atLeast: 5_000 })).release();
    expect(messages).toMatchObject([{ key: 'told', freed: true, cooldown: 5_000 }]);
  });

  it('is refused where holds end with a session, and the trait is named', async () => {
    const { locks } = createFreeSetting({ traits: { expiry: 'session' } });
    for (const option of ['atLeast', 'lockDelay']) {
      const refused = { code: 'LOCK_INVALID', message: expect.stringMatching(`"${option}".*expiry: "ttl"`) as unknown };
      await expect(locks.acquire('job', { [option]: 100 })).rejects.toMatchObject(refused);
    }
  });

  it.each(['combine', 'migrate'])('is forgotten by a composite when its rest is over: %s', async (kind) => {
    const runtime = new VirtualRuntime();
    const members = [0, 1, 2].map(() => createMemoryProvider({ store: createMemoryStore({ runtime }) }));
    const [from, to] = members as [LockProvider, LockProvider];
    const provider =
      kind === 'combine' ? combine(members, { runtime }) : migrate({ from, to, phase: 'from', name: 'm', runtime });
    const { size: before } = provider as CombinedProvider | MigratingProvider;
    const locks = createLocks(provider, { runtime });
    for (let round = 0; round < 20; round += 1) {
      const taking = watch(locks.acquire(`job ${round}`, { atLeast: 500 }));
      await runtime.advance(200);
      const releasing = watch(taking.value!.release());
      await runtime.advance(1_000);
      expect(releasing.value).toBe(true);
    }
    expect((provider as CombinedProvider | MigratingProvider).size - before).toBeLessThanOrEqual(2);
    const closing = provider.close();
    await runtime.advance(10_000);
    await closing;
  });
});
