import { expect, onTestFinished, vi } from 'vitest';
import { createMemoryProvider, createMemoryStore, subscribe } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import { markRegister } from '../../src/migrate/keys.ts';
import type { Claim, LockProvider, MemoryStore, MigrationMessage } from '../../../core/src/index.ts';
import type { MigrateOptions } from '../../src/index.ts';

export function claimOf(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'job', owner, ttl: 10_000, mode: 'exclusive', ...more };
}

export interface Fleet {
  readonly from: MemoryStore;
  readonly to: MemoryStore;
  /** Another process. */
  process(phase: MigrateOptions['phase'], more?: Partial<MigrateOptions>): LockProvider;
  /** Who holds the key in each store. */
  holders(key?: string): Promise<Readonly<Record<'from' | 'to', number>>>;
  /** Resolves when a process that is to be in `both` may go on to any end. */
  mayGoOn(): Promise<void>;
}

export function fleet(): Fleet {
  const [from, to] = [createMemoryStore(), createMemoryStore()];
  const [seeFrom, seeTo] = [createMemoryProvider({ store: from }), createMemoryProvider({ store: to })];
  let count = 0;
  return {
    from,
    to,
    process(phase, more = {}) {
      count += 1;
      const provider = migrate({
        name: 'm',
        from: createMemoryProvider({ store: from }),
        to: createMemoryProvider({ store: to }),
        phase,
        presenceTtl: 1_000,
        label: `p${count}`,
        ...more,
      });
      onTestFinished(() => provider.close());
      return provider;
    },
    async holders(key = 'job') {
      const [inFrom, inTo] = await Promise.all([seeFrom.inspect(key), seeTo.inspect(key)]);
      return { from: inFrom.holders.length, to: inTo.holders.length };
    },
    async mayGoOn() {
      await vi.waitFor(async () => {
        expect(await seeFrom.register?.(markRegister('m', 'from'))).toBeUndefined();
        expect(await seeTo.register?.(markRegister('m', 'to'))).toBeUndefined();
      }, 5_000);
    },
  };
}

/** `inner`, whose holds last for `validity` ms. */
export function withValidity(inner: LockProvider, validity: number): LockProvider {
  return {
    name: inner.name,
    traits: inner.traits,
    async tryAcquire(claim, wake) {
      const answer = await inner.tryAcquire({ ...claim, ttl: validity }, wake);
      return answer.granted ? { ...answer, validity } : answer;
    },
    renew: async (claim, token) => (await inner.renew({ ...claim, ttl: validity }, token)) && { validity },
    release: (claim) => inner.release(claim),
    inspect: (key) => inner.inspect(key),
    register: async (name, change) => await inner.register?.(name, change),
    close: () => inner.close(),
  };
}

export function listen(): MigrationMessage[] {
  const heard: MigrationMessage[] = [];
  const subscription = subscribe('locks:migration', (message) => void heard.push(message));
  onTestFinished(() => subscription());
  return heard;
}

export const presence = (end: 'from' | 'to') => `migration/m/${end}`;
