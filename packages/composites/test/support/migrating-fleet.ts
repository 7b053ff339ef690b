import { onTestFinished } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { LockProvider, MemoryStore } from '../../../core/src/index.ts';
import type { MigrateOptions } from '../../src/index.ts';

export interface Fleet {
  readonly from: MemoryStore;
  readonly to: MemoryStore;
  /** Another process. */
  process(phase: MigrateOptions['phase'], more?: Partial<MigrateOptions>): LockProvider;
  /** Who holds the key in each store. */
  holders(key?: string): Promise<Readonly<Record<'from' | 'to', number>>>;
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
        settle: 0,
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
  };
}
