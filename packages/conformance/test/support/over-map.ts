import type { ConformanceOptions } from '@locks/conformance';
import { createRecordProvider } from '@locks/core/adapter';
import { mapStore, sharedMap } from './map-store.ts';

/** The suite over a map of this process. */
export function overMap(name: string, settings: Parameters<typeof mapStore>[1]): ConformanceOptions {
  const map = sharedMap();
  const create = (waiterTtl: number) => () => createRecordProvider(mapStore(map, settings), { waiterTtl });
  return {
    name,
    create: create(3_000),
    createOther: create(900),
    leaks: () => ({
      watchers: [...map.watchers.values(), ...map.byProcess.values()].reduce((sum, { size }) => sum + size, 0),
    }),
  };
}
