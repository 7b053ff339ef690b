import type { Claim, Grant, LockProvider } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import type { Locks } from '../locks.ts';
import { createLocks } from '../manager.ts';
import { createMemoryProvider } from '../memory/provider.ts';
import type { LocksOptions } from '../options/locks-options.ts';

/** Locks for unit tests of code that takes locks or leases. */
export interface TestLocks {
  /** A real client with its own memory store, to pass to the code under test. */
  readonly locks: Locks;
  /** The keys taken so far, one per lease, in the order of the grants. */
  readonly taken: readonly string[];
  /**
   * Loses all leases on `key` now: their signals abort with `LOCK_LOST`, and the key is free.
   * Returns how many there were. `why` is part of the message. @default `the test took it away`
   */
  lose(key: string, why?: string): Promise<number>;
}

interface Hold {
  readonly claim: Claim;
  readonly lost: AbortController;
}

/**
 * Creates locks for a unit test, with the options of `createLocks`. The memory store uses their
 * `runtime`.
 */
export function createTestLocks(options: LocksOptions = {}): TestLocks {
  const memory = createMemoryProvider({ runtime: options.runtime });
  const taken: string[] = [];
  const holds = new Map<string, Hold>();

  function note(claim: Claim, grant: Grant): Grant {
    const known = holds.get(claim.owner);
    if (known === undefined) taken.push(claim.key);
    const lost = known?.lost ?? new AbortController();
    holds.set(claim.owner, { claim, lost });
    return { ...grant, lost: lost.signal };
  }

  const provider: LockProvider = {
    name: memory.name,
    traits: memory.traits,
    async tryAcquire(claim, wake) {
      const answer = await memory.tryAcquire(claim, wake);
      return answer.granted ? note(claim, answer) : answer;
    },
    renew: (claim, token) => memory.renew(claim, token),
    release(claim) {
      holds.delete(claim.owner);
      return memory.release(claim);
    },
    inspect: (key) => memory.inspect(key),
    close: () => memory.close(),
    ...(memory.list && { list: memory.list.bind(memory) }),
    ...(memory.time && { time: memory.time.bind(memory) }),
    ...(memory.register && { register: memory.register.bind(memory) }),
  };

  return {
    locks: createLocks(provider, { closeProvider: true, ...options }),
    taken,
    async lose(key, why = 'the test took it away') {
      const ended = [...holds.values()].filter(({ claim }) => claim.key === key);
      for (const { claim, lost } of ended) {
        lost.abort(new LockError('LOCK_LOST', why, { key }));
        await provider.release(claim);
      }
      return ended.length;
    },
  };
}
