import { setImmediate } from 'node:timers/promises';
import type { RecordStore, StoredRecord } from '@locks/core/adapter';

/** What stores over one map share. */
export interface SharedMap {
  readonly records: Map<string, StoredRecord>;
  readonly watchers: Map<string, Set<() => void>>;
}

export function sharedMap(): SharedMap {
  return { records: new Map(), watchers: new Map() };
}

/** A store in this process. `observed`: it has no clock. `quiet`: it cannot be watched. */
export function mapStore(
  { records, watchers }: SharedMap,
  { observed = false, quiet = false }: { readonly observed?: boolean; readonly quiet?: boolean } = {},
): RecordStore {
  return {
    name: 'map',
    scope: 'process',
    fencing: 'strict',
    expiry: observed ? 'observed' : 'ttl',
    async read(key) {
      await setImmediate();
      return { ...records.get(key), ...(!observed && { now: performance.now() }) };
    },
    async replace(key, seen, next) {
      await setImmediate();
      if (records.get(key)?.version !== seen) return false;
      records.set(key, next);
      for (const changed of watchers.get(key) ?? []) changed();
      return true;
    },
    ...(!quiet && {
      async watch(key: string, changed: () => void) {
        const heard = watchers.get(key) ?? new Set();
        watchers.set(key, heard.add(changed));
        return () => void heard.delete(changed);
      },
    }),
    async *list(prefix) {
      for (const key of records.keys()) if (key.startsWith(prefix)) yield key;
    },
    time: async () => Date.now(),
  };
}
