import { setImmediate } from 'node:timers/promises';
import type { RecordStore, StoredRecord } from '../../../src/adapter/record/record-store.ts';

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
