import { createRequire } from 'node:module';
import { createLocks, createMemoryProvider } from '@locks/core';
import { LockFactory } from '@verrou/core';
import { MemoryStore } from '@verrou/core/drivers/memory';
import { Mutex } from 'async-mutex';
import type { Party } from '../subjects/party.ts';

/** A library whose locks exist only in this process. */
export interface MemorySubject {
  readonly name: string;
  open(): Party;
}

const ttl = 10_000;

export const memorySubjects: readonly MemorySubject[] = [
  {
    name: '@locks',
    open() {
      const locks = createLocks(createMemoryProvider(), { ttl });
      return { acquire: (key) => locks.acquire(key) };
    },
  },
  {
    name: 'verrou',
    open() {
      const factory = new LockFactory(new MemoryStore());
      return {
        async acquire(key) {
          const lock = factory.createLock(key, ttl);
          await lock.acquire();
          return lock;
        },
      };
    },
  },
  asyncMutex('async-mutex', Mutex),
  asyncMutex('async-mutex, CommonJS', (createRequire(import.meta.url)('async-mutex') as { Mutex: typeof Mutex }).Mutex),
];

/** No ttl, no owner, no keys: one mutex object for each. Its two builds differ greatly in speed. */
function asyncMutex(name: string, Build: typeof Mutex): MemorySubject {
  return {
    name,
    open() {
      const mutexes = new Map<string, Mutex>();
      return {
        async acquire(key) {
          let mutex = mutexes.get(key);
          if (mutex === undefined) {
            mutex = new Build();
            mutexes.set(key, mutex);
          }
          return { release: await mutex.acquire() };
        },
      };
    },
  };
}
