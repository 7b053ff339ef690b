import { differentialTest } from '@locks/conformance';
import { createRecordProvider } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import { mapStore, sharedMap } from '../support/map-store.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 200);
const seed = Number(process.env['LOCKS_DIFFERENTIAL_SEED'] ?? 1);

test(
  'a provider over a map answers as the rules of a key do',
  async () => {
    const maps = new Map<number, ReturnType<typeof sharedMap>>();
    const report = await differentialTest({
      name: 'map',
      create({ waiterTtl }) {
        const map = maps.get(waiterTtl) ?? sharedMap();
        maps.set(waiterTtl, map);
        const store = mapStore(map);
        let isLost = false;
        const replace: typeof store.replace = async (...change) => {
          const made = await store.replace(...change);
          if (!isLost) return made;
          isLost = false;
          throw new Error('The reply was lost.');
        };
        return {
          create: async () => createRecordProvider({ ...store, replace }, { waiterTtl }),
          faults: { dropReply: async () => void (isLost = true) },
        };
      },
      assigns: () => true,
      sequences,
      seed,
      // Other tests use the processors meanwhile, and make calls slow.
      abandonedAtMost: 0.5,
    });
    console.log(JSON.stringify(report));
    expect(report.exempted).toEqual({});
  },
  60_000 + sequences * 500,
);
