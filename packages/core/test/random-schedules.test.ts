import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../src/index.ts';
import type { Claim, Lease, LockProvider, Locks } from '../src/index.ts';
import { watch } from './support/setting.ts';
import type { Watched } from './support/setting.ts';
import { ScriptedProvider } from './support/scripted-provider.ts';
import type { Call } from './support/scripted-provider.ts';
import { VirtualRuntime } from './support/virtual-runtime.ts';

const ttl = 300;
const keys = ['a', 'b'];

/** Sends calls to a memory provider over a bad network: slow, silent, and sometimes nobody knows what came of it. */
function badNetwork(runtime: VirtualRuntime, backend: LockProvider): ScriptedProvider {
  const provider = new ScriptedProvider(runtime);
  const perform = (call: Call): Promise<unknown> => {
    if (call.kind === 'tryAcquire') return backend.tryAcquire(call.claim, call.wake);
    return call.kind === 'renew' ? backend.renew(call.claim) : backend.release(call.claim);
  };
  const later = (least: number, most: number, then: () => void): void => {
    runtime.setTimer(then, least + runtime.random() * (most - least), false);
  };
  const answer = (call: Call): void => {
    const luck = runtime.random();
    // Before, then after the backend has acted: a rejection can mean either.
    if (luck < 0.1) return later(1, 100, () => call.reject());
    later(1, luck < 0.2 ? 400 : 20, () => {
      void perform(call).then((value) =>
        later(1, luck < 0.3 ? 400 : 20, () => (luck < 0.4 ? call.reject() : call.answer(value))),
      );
    });
  };
  provider.answers.tryAcquire = answer;
  provider.answers.renew = answer;
  provider.answers.release = answer;
  return provider;
}

interface Party {
  readonly locks: Locks;
  readonly provider: ScriptedProvider;
  readonly leases: Lease[];
  readonly waits: Watched<Lease | null>[];
  readonly controllers: AbortController[];
}

/** One seeded schedule: several processes, two keys, random actions, then calm. */
async function run(seed: number): Promise<void> {
  const runtime = new VirtualRuntime(seed);
  const store = createMemoryStore({ runtime, waiterTtl: 400 });
  const tokens = new Map<string, bigint>();
  const failures: unknown[] = [];
  const parties = Array.from({ length: 3 }, (_, index): Party => {
    const provider = badNetwork(runtime, createMemoryProvider({ store }));
    return {
      provider,
      locks: createLocks(provider, { runtime, label: `p${index}`, ttl }),
      leases: [],
      waits: [],
      controllers: [],
    };
  });

  const granted = (party: Party, lease: Lease): void => {
    if (lease.mode === 'exclusive') {
      expect(lease.token).toBeGreaterThan(tokens.get(lease.key) ?? 0n);
      tokens.set(lease.key, lease.token);
    }
    party.leases.push(lease);
    check();
  };
  const check = (): void => {
    expect(failures).toEqual([]);
    for (const key of keys) {
      const held = parties.flatMap((party) => party.leases).filter((lease) => lease.key === key && lease.held);
      if (held.some((lease) => lease.mode === 'exclusive')) expect(held, `holders of ${key}`).toHaveLength(1);
    }
    for (const party of parties) expect(party.provider.violations).toEqual([]);
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(runtime.random() * list.length)] as T;
  const act = (party: Party): void => {
    const luck = runtime.random();
    if (luck < 0.5) {
      const controller = new AbortController();
      party.controllers.push(controller);
      const mode = runtime.random() < 0.3 ? 'shared' : 'exclusive';
      const wait = pick([0, 50, 300, 1_000, Infinity]);
      const acquiring = party.locks.tryAcquire(pick(keys), {
        mode,
        wait,
        signal: controller.signal,
        renew: runtime.random() < 0.8,
      });
      party.waits.push(watch(acquiring));
      acquiring
        .then(
          (lease) => {
            if (lease !== null) granted(party, lease);
          },
          () => {},
        )
        .catch((error: unknown) => failures.push(error));
    } else if (luck < 0.75)
      party.leases
        .at(-1)
        ?.release()
        .catch(() => {});
    else if (luck < 0.85) party.controllers.at(-1)?.abort();
    else if (luck < 0.95)
      party.leases
        .at(-1)
        ?.renew()
        .catch(() => {});
    else if (luck < 0.98) runtime.block(runtime.random() * ttl * 1.5);
    else runtime.suspend(2_500);
  };

  for (let step = 0; step < 60; step += 1) {
    act(pick(parties));
    await runtime.advance(runtime.random() * 60);
    check();
  }
  for (const party of parties) {
    for (const controller of party.controllers) controller.abort();
    for (const lease of party.leases) lease.release().catch(() => {});
  }
  await runtime.advance(3_000);
  check();
  const claim: Claim = { key: '', owner: 'last', ttl, mode: 'exclusive' };
  const last = createMemoryProvider({ store });
  for (const key of keys) {
    expect(await last.inspect(key)).toMatchObject({ holders: [], waiters: 0 });
    expect(await last.tryAcquire({ ...claim, key })).toMatchObject({ granted: true });
  }
  for (const party of parties) {
    expect(party.waits.filter((wait) => wait.state === 'open')).toEqual([]);
    const closing = watch(party.locks.close());
    await runtime.advance(0);
    expect(closing.state).toBe('fulfilled');
  }
  expect(runtime.keepAliveTimers).toBe(0);
}

describe('random schedules over a bad network', () => {
  const perTest = 10;
  it.each(Array.from({ length: 16 }, (_, index) => index * perTest))(
    'never have two holders, break the contract or leave anything: seeds from %d',
    async (first) => {
      for (let seed = first; seed < first + perTest; seed += 1) {
        try {
          await run(seed);
        } catch (error) {
          throw new Error(`with seed ${seed}: ${String(error)}`, { cause: error });
        }
      }
    },
  );
});
