import { bundle } from '../../../scripts/bundle.mjs';

await bundle(new URL('../', import.meta.url), {
  entries: { index: 'index.ts', combine: 'open/combine.ts', migrate: 'open/migrate.ts', register: 'register.ts' },
});
