import type { Claim, LockProvider } from '../../src/contract.ts';
import type { Runtime } from '../../src/index.ts';
import type { Hold } from '../../src/key/record.ts';
import type { MemoryStorage } from '../../src/memory/store.ts';
import type { VirtualRuntime } from '../../src/testing/index.ts';
import { replaced } from '../support/replaced.ts';

/** The store of a schedule. */
interface Server {
  readonly memory: MemoryStorage;
  readonly runtime: VirtualRuntime;
}

/** Something wrong in the store or in core, put in on purpose. The schedules must find it. */
export interface Flaw {
  server?(provider: LockProvider, server: Server): LockProvider;
  client?(provider: LockProvider, runtime: VirtualRuntime): LockProvider;
  runtime?(runtime: VirtualRuntime): Runtime;
}

function spoiledServer(wrong: (base: LockProvider, server: Server) => Partial<LockProvider>): Flaw {
  return { server: (base, server) => replaced(base, wrong(base, server)) };
}

function spoiledClient(wrong: (base: LockProvider, runtime: VirtualRuntime) => Partial<LockProvider>): Flaw {
  return { client: (base, runtime) => replaced(base, wrong(base, runtime)) };
}

function holdOf(memory: MemoryStorage, { key, owner }: Claim): Hold | undefined {
  return memory.find(key)?.holds.find((hold) => hold.owner === owner);
}

/**
 * For this many ms after a call, in the store's time, another one of its owner meets it: as a
 * compare-and-set that takes two round trips.
 */
const inTwoSteps = 10;

/** `name` answers busy or false where it meets another call of its owner. */
function ownCall(name: 'tryAcquire' | 'renew' | 'release'): Flaw {
  return spoiledServer((base, { runtime }) => againstItself(name, base, runtime));
}

function againstItself(name: string, base: LockProvider, store: VirtualRuntime): Partial<LockProvider> {
  const busyUntil = new Map<string, number>();
  const meets = (call: string, { owner }: Claim): boolean => {
    const met = call === name && (busyUntil.get(owner) ?? -Infinity) > store.time;
    if (!met) busyUntil.set(owner, store.time + inTwoSteps);
    return met;
  };
  return {
    tryAcquire: async (claim, wake) =>
      meets('tryAcquire', claim) ? { granted: false } : await base.tryAcquire(claim, wake),
    renew: async (claim, token) => !meets('renew', claim) && (await base.renew(claim, token)),
    release: async (claim) => !meets('release', claim) && (await base.release(claim)),
  };
}

/** Providers that break the contract, each in one way. */
export const flawedProviders: Readonly<Record<string, Flaw>> = {
  'releases any holder of the key': spoiledServer((base, { memory }) => ({
    release(claim) {
      const { owner = claim.owner } = memory.find(claim.key)?.holds[0] ?? {};
      return base.release({ ...claim, owner });
    },
  })),
  'never lets an expired hold go': spoiledServer((base, { memory }) => ({
    tryAcquire(claim, wake) {
      const answering = base.tryAcquire(claim, wake);
      for (const hold of memory.find(claim.key)?.holds ?? []) hold.until = Infinity;
      return answering;
    },
  })),
  'frees a key before its ttl ends': spoiledServer((base, { memory }) => ({
    tryAcquire(claim, wake) {
      const answering = base.tryAcquire(claim, wake);
      const hold = holdOf(memory, claim);
      if (hold !== undefined) hold.until -= claim.ttl / 2;
      return answering;
    },
  })),
  'does not raise the token': spoiledServer((base, { memory }) => ({
    async tryAcquire(claim, wake) {
      const before = memory.find(claim.key)?.token ?? 0;
      const answer = await base.tryAcquire(claim, wake);
      return answer.granted && before > 0 ? { ...answer, token: BigInt(before) } : answer;
    },
  })),
  'gives a repeat another token': spoiledServer((base, { memory }) => ({
    async tryAcquire(claim, wake) {
      const repeated = holdOf(memory, claim) !== undefined;
      const answer = await base.tryAcquire(claim, wake);
      return answer.granted && repeated ? { ...answer, token: answer.token + 1n } : answer;
    },
  })),
  'does not know its holder again': spoiledServer((base, { memory }) => ({
    async tryAcquire(claim, wake) {
      if (holdOf(memory, claim) !== undefined) return { granted: false, retryAfter: 50 };
      return await base.tryAcquire(claim, wake);
    },
  })),
  'lets newcomers pass the queue': spoiledServer((base, { memory }) => ({
    tryAcquire(claim, wake) {
      const record = memory.findOrAdd(claim.key);
      const others = record.queue.filter(({ owner }) => owner !== claim.owner);
      record.queue = record.queue.filter(({ owner }) => owner === claim.owner);
      const answering = base.tryAcquire(claim, wake);
      record.queue = [...others, ...record.queue];
      return answering;
    },
  })),
  'wakes no waiter': spoiledServer((base) => ({
    tryAcquire: (claim, wake) => base.tryAcquire(claim, wake === undefined ? undefined : () => {}),
  })),
  'keeps the place of a waiter that leaves': spoiledServer((base, { memory }) => ({
    async release(claim) {
      const waits = memory.find(claim.key)?.queue.some(({ owner }) => owner === claim.owner);
      return waits ? false : await base.release(claim);
    },
  })),
  'renews what has expired': spoiledServer((base) => ({
    async renew(claim) {
      await base.renew(claim);
      return {};
    },
  })),
  'does not renew what it says it renewed': spoiledServer((base, { memory }) => ({
    async renew(claim) {
      return holdOf(memory, claim) !== undefined ? {} : await base.renew(claim);
    },
  })),
  'sets one owner against itself, when it tries': ownCall('tryAcquire'),
  'sets one owner against itself, when it renews': ownCall('renew'),
  'sets one owner against itself, when it releases': ownCall('release'),
  'forgets how many may share': spoiledServer((base) => ({
    tryAcquire(claim, wake) {
      const { permits: _, ...unlimited } = claim;
      return base.tryAcquire(unlimited, wake);
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
  'validity of a renewal counts from its reply': spoiledClient((base, { clock }) => ({
    async renew(claim) {
      const sent = clock.exact();
      const answer = await base.renew(claim);
      return answer === false ? false : { validity: claim.ttl + clock.exact() - sent };
    },
  })),
  'no margin for clocks that run at different rates': spoiledClient((base) => ({
    async tryAcquire(claim, wake) {
      const answer = await base.tryAcquire(claim, wake);
      return answer.granted ? { ...answer, validity: (claim.ttl + 2) / 0.99 } : answer;
    },
  })),
  'a rejected renewal counts as one': spoiledClient((base) => ({
    renew: (claim) => base.renew(claim).catch(() => ({})),
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
