import { bundle } from '../../../scripts/bundle.mjs';

await bundle(new URL('../', import.meta.url), {
  entries: {
    index: 'index.ts',
    vitest: 'runners/vitest.ts',
    'node-test': 'runners/node-test.ts',
    processes: 'processes/index.ts',
    faults: 'proxy/index.ts',
    history: 'history/index.ts',
    nemesis: 'nemesis/index.ts',
    worker: 'processes/worker.ts',
    'nemesis-worker': 'nemesis/worker/worker.ts',
  },
  programs: ['worker', 'nemesis-worker'],
  importers: ['vitest'],
  // Its failures name requirements. Maps would make the package larger by a third.
  maps: false,
});
