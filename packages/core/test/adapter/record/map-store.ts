import { setImmediate } from 'node:timers/promises';
import type { RecordStore, StoredRecord } from '../../../src/adapter/record/record-store.ts';
import type { Claim } from '../../../src/contract.ts';

/** A store in this process that counts its calls. `instead` stands in for one of its functions. */
export function mapStore(
  records: Map<string, StoredRecord>,
  instead: Partial<RecordStore> = {},
): RecordStore & { readonly calls: { reads: number; replaces: number }; readonly versions: string[] } {
  const calls = { reads: 0, replaces: 0 };
  const versions: string[] = [];
  const observed = instead.expiry === 'observed';
  return {
    name: 'map',
    scope: 'process',
    calls,
    versions,
    async read(key) {
      calls.reads += 1;
      await setImmediate();
      return { ...records.get(key), ...(!observed && { now: performance.now() }) };
    },
    async replace(key, seen, next) {
      calls.replaces += 1;
      versions.push(next.version);
      await setImmediate();
      if (records.get(key)?.version !== seen) return false;
      records.set(key, next);
      return true;
    },
    ...instead,
  };
}

/** An exclusive claim on the key "k". */
export function claimOf(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'k', owner: `test/${owner}`, ttl: 5_000, mode: 'exclusive', ...more };
}

/** Stores that share their records, as those of several processes. */
export function together(): {
  records: Map<string, StoredRecord>;
  store: (instead?: Partial<RecordStore>) => ReturnType<typeof mapStore>;
} {
  const records = new Map<string, StoredRecord>();
  return { records, store: (instead) => mapStore(records, instead) };
}
