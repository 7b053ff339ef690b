import { bundle } from '../../../scripts/bundle.mjs';

await bundle(new URL('../', import.meta.url), {
  entries: { index: 'index.ts', schedule: 'schedule.ts' },
  // Nest 12 is ES modules only.
  modules: true,
});
