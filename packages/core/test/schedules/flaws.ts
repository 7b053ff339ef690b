import type { LockProvider } from '../../src/contract.ts';
import type { Runtime } from '../../src/index.ts';
import type { MemoryStorage } from '../../src/memory/store.ts';
import type { VirtualRuntime } from '../../src/testing/index.ts';
import { replaced } from '../support/replaced.ts';

/** Something wrong in the store or in core, put in on purpose. The schedules must find it. */
export interface Flaw {
  server?(provider: LockProvider, memory: MemoryStorage): LockProvider;
  client?(provider: LockProvider, runtime: VirtualRuntime): LockProvider;
  runtime?(runtime: VirtualRuntime): Runtime;
}

function spoiledServer(wrong: (base: LockProvider, memory: MemoryStorage) => Partial<LockProvider>): Flaw {
  return { server: (base, memory) => replaced(base, wrong(base, memory)) };
}

function spoiledClient(wrong: (base: LockProvider, runtime: VirtualRuntime) => Partial<LockProvider>): Flaw {
  return { client: (base, runtime) => replaced(base, wrong(base, runtime)) };
}

/** Providers that break the contract, each in one way. */
export const flawedProviders: Readonly<Record<string, Flaw>> = {
  'frees a key before its ttl ends': spoiledServer((base, memory) => ({
    tryAcquire(claim, wake) {
      const answering = base.tryAcquire(claim, wake);
      const hold = memory.find(claim.key)?.holds.find(({ owner }) => owner === claim.owner);
      if (hold !== undefined) hold.until -= claim.ttl / 2;
      return answering;
    },
  })),
  'does not raise the token': spoiledServer((base, memory) => ({
    async tryAcquire(claim, wake) {
      const before = memory.find(claim.key)?.token ?? 0;
      const answer = await base.tryAcquire(claim, wake);
      return answer.granted && before > 0 ? { ...answer, token: BigInt(before) } : answer;
    },
  })),
  'lets newcomers pass the queue': spoiledServer((base, memory) => ({
    tryAcquire(claim, wake) {
      const record = memory.findOrAdd(claim.key);
      const others = record.queue.filter(({ owner }) => owner !== claim.owner);
      record.queue = record.queue.filter(({ owner }) => owner === claim.owner);
      const answering = base.tryAcquire(claim, wake);
      record.queue = [...others, ...record.queue];
      return answering;
    },
  })),
};

/**
 * Rules of core that are broken on its way to the provider, as core itself would if it lacked them.
 */
export const flawedRules: Readonly<Record<string, Flaw>> = {
  'validity counts from the reply': spoiledClient((base, { clock }) => ({
    async tryAcquire(claim, wake) {
      const sent = clock.exact();
      const answer = await base.tryAcquire(claim, wake);
      return answer.granted ? { ...answer, validity: claim.ttl + clock.exact() - sent } : answer;
    },
  })),
  'a rejected attempt counts as busy': spoiledClient((base) => ({
    tryAcquire: (claim, wake) => base.tryAcquire(claim, wake).catch(() => ({ granted: false, retryAfter: 1_000_000 })),
  })),
  'a wake before the busy answer is lost': spoiledClient((base) => ({
    async tryAcquire(claim, wake) {
      let answered = false;
      const answer = await base.tryAcquire(claim, wake && (() => answered && wake()));
      answered = true;
      return answer;
    },
  })),
  'what is given up is not released': spoiledClient((base) => {
    const granted = new Set<string>();
    return {
      async tryAcquire(claim, wake) {
        const answer = await base.tryAcquire(claim, wake);
        if (answer.granted) granted.add(claim.owner);
        return answer;
      },
      release: async (claim) => granted.has(claim.owner) && (await base.release(claim)),
    };
  }),
  'the time that a machine slept does not count': {
    runtime: (runtime) =>
      replaced<Runtime>(runtime, {
        clock: { ...runtime.clock, exact: () => runtime.time, now: () => runtime.time },
      }),
  },
};
