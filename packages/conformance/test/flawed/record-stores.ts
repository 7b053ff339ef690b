import { setImmediate as turn } from 'node:timers/promises';
import { createRecordProvider } from '@locks/core/adapter';
import type { RecordStore, StoredRecord } from '@locks/core/adapter';
import { mapStore, sharedMap } from '../support/map-store.ts';
import type { SharedMap } from '../support/map-store.ts';
import type { Flaw } from './flaw.ts';

/** A store that breaks one of the rules that core builds on, so that anything else may fail too. */
function broken(
  name: string,
  caughtBy: readonly string[],
  change: (store: RecordStore, map: SharedMap, number: number) => Partial<RecordStore>,
): Flaw {
  const make: Flaw['make'] = () => {
    const map = sharedMap();
    let number = 0;
    return () => {
      const store = mapStore(map);
      return createRecordProvider({ ...store, ...change(store, map, number++) });
    };
  };
  return { name, caughtBy, mayAlsoFail: ['*'], make };
}

/** A store whose clock gives something else. */
function clock(name: string, change: (now: number, number: number) => number): Flaw {
  return broken(name, ['record-clock'], (store, _map, number) => ({
    async read(key) {
      const state = await store.read(key);
      return { ...state, now: change(state.now ?? 0, number) };
    },
  }));
}

const nothing = { version: undefined, record: undefined };

/** What strangers' stores get wrong. */
export const recordStores: readonly Flaw[] = [
  broken('a record is cut at 20 000 bytes', ['record-long-text', 'fair-order'], (store) => ({
    async read(key) {
      const state = await store.read(key);
      return { ...state, record: state.record?.slice(0, 20_000) };
    },
  })),
  broken('replace reads, compares and writes: three steps', ['record-one-wins'], (store, { records }) => ({
    async replace(key, seen, next) {
      if ((await store.read(key)).version !== seen) return false;
      await turn();
      records.set(key, next);
      return true;
    },
  })),
  broken('read asks a replica that lags', ['record-compare-and-set'], (store, { records }) => {
    const before = new Map<string, StoredRecord | undefined>();
    return {
      read: async (key) => ({ ...(await store.read(key)), ...(before.has(key) && nothing), ...before.get(key) }),
      async replace(key, ...rest) {
        const old = records.get(key);
        const done = await store.replace(key, ...rest);
        before.set(key, old);
        setTimeout(() => before.delete(key), 5);
        return done;
      },
    };
  }),
  broken('a refusal is none: it is written in the end', ['record-compare-and-set'], (store, { records }) => ({
    async replace(key, seen, next, ...rest) {
      const done = await store.replace(key, seen, next, ...rest);
      if (done === false) records.set(key, next);
      return done;
    },
  })),
  broken('the version is a hash of the text', ['record-compare-and-set'], (store) => ({
    async read(key) {
      const state = await store.read(key);
      return { ...state, version: state.record && `${state.record.length}` };
    },
    async replace(key, seen, next, ...rest) {
      const { version, record } = await store.read(key);
      if ((record && `${record.length}`) !== seen) return false;
      return (await store.replace(key, version, next, ...rest)) && `${next.record.length}`;
    },
  })),
  clock('now is in seconds', (now) => now / 1_000),
  clock('now is in microseconds', (now) => now * 1_000),
  clock('now has steps of a second', (now) => Math.floor(now / 1_000) * 1_000),
  clock('now is that of each process', (now, number) => now + 100 * number),
  broken('watch goes on after its end', ['record-watch'], (store) => ({
    async watch(...all) {
      await store.watch?.(...all);
      return () => {};
    },
  })),
];
