import { createRecordProvider } from '../../src/adapter/record/create-record-provider.ts';
import type { StoredRecord } from '../../src/adapter/record/record-store.ts';
import { createLocks, createMemoryProvider } from '../../src/index.ts';
import type { LockProvider, Locks } from '../../src/index.ts';
import { MemoryStorage } from '../../src/memory/store.ts';
import type { SimulatedProcess, World } from '../../src/testing/index.ts';
import { replaced } from '../support/replaced.ts';
import type { Flaw } from './flaws.ts';
import type { Holds } from './holds.ts';

/** Opens the locks of each process on one store. */
type Open = (process: SimulatedProcess) => Locks;

export const ttl = 300;
const waiterTtl = 400;

export function openMemory(world: World, holds: Holds, flaw: Flaw = {}): Open {
  const memory = new MemoryStorage({ runtime: world.runtime, waiterTtl });
  return ({ link, name, runtime }) => {
    const server = createMemoryProvider({ store: memory });
    const base = flaw.server?.(server, { memory, runtime: world.runtime }) ?? server;
    const tryAcquire: LockProvider['tryAcquire'] = async (claim, wake) => {
      const answer = await base.tryAcquire(claim, wake);
      if (answer.granted) holds.granted(claim, answer.token);
      return answer;
    };
    return createLocks(link(replaced(base, { tryAcquire })), {
      runtime,
      label: name,
      ttl,
      findDeadlocks: true,
    });
  };
}

/** The engine for stores with a conditional write. */
export function openRecord(world: World): Open {
  const records = new Map<string, StoredRecord>();
  return ({ request, name, runtime }) => {
    const provider = createRecordProvider(
      {
        name: 'map',
        scope: 'network',
        read: (key) => request(() => ({ ...records.get(key), now: world.runtime.time })),
        replace: (key, seen, next) =>
          request(() => {
            const { version } = records.get(key) ?? {};
            if (version === seen) records.set(key, next);
            return version === seen || version === next.version;
          }),
        async *list(prefix) {
          for (const key of records.keys()) if (key.startsWith(prefix)) yield key;
        },
        time: () => request(() => world.runtime.clock.origin + world.runtime.clock.now()),
      },
      { runtime, waiterTtl, timeout: 500, poll: 40 },
    );
    return createLocks(provider, { runtime, label: name, ttl, findDeadlocks: true });
  };
}
