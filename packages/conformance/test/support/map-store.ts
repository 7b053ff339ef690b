import { setImmediate } from 'node:timers/promises';
import type { RecordStore, StoredRecord } from '@locks/core/adapter';

/** What stores over one map share. */
export interface SharedMap {
  readonly records: Map<string, StoredRecord>;
  readonly watchers: Map<string, Set<() => void>>;
  /** By the names of processes. */
  readonly byProcess: Map<string, Set<() => void>>;
}

export function sharedMap(): SharedMap {
  return { records: new Map(), watchers: new Map(), byProcess: new Map() };
}

/** How a store over a map differs from the usual one. */
export interface MapSettings {
  /** It has no clock. */
  readonly observed?: boolean;
  /** It cannot be watched. */
  readonly quiet?: boolean;
  /** A process hears only of changes that are to wake it. `'deaf'`: it hears of none. */
  readonly named?: boolean | 'deaf';
}

/** A store in this process. */
export function mapStore(
  { records, watchers, byProcess }: SharedMap,
  { observed = false, quiet = false, named = false }: MapSettings = {},
): RecordStore {
  const heard = new Set<() => void>();
  const process = `process ${byProcess.size}`;
  if (named !== false) byProcess.set(process, heard);
  const toWake = (key: string, wakes: readonly string[]): Iterable<() => void> => {
    if (named === false) return watchers.get(key) ?? [];
    return named === 'deaf' ? [] : wakes.flatMap((name) => [...(byProcess.get(name) ?? [])]);
  };
  return {
    name: 'map',
    scope: 'process',
    fencing: 'strict',
    expiry: observed ? 'observed' : 'ttl',
    async read(key) {
      await setImmediate();
      return { ...records.get(key), ...(!observed && { now: performance.now() }) };
    },
    ...(named !== false && { process }),
    async replace(key, seen, next, _waited, wakes) {
      await setImmediate();
      if (records.get(key)?.version !== seen) return false;
      records.set(key, next);
      for (const changed of toWake(key, wakes)) changed();
      return true;
    },
    ...(!quiet && {
      async watch(key: string, changed: () => void) {
        const of = named === false ? (watchers.get(key) ?? new Set()) : heard;
        if (named === false) watchers.set(key, of);
        of.add(changed);
        return () => void of.delete(changed);
      },
    }),
    async *list(prefix) {
      for (const key of records.keys()) if (key.startsWith(prefix)) yield key;
    },
    time: async () => Date.now(),
  };
}
