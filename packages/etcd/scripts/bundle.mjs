import { bundle } from '../../../scripts/bundle.mjs';

await bundle(new URL('../', import.meta.url), { entries: { index: 'index.ts', register: 'register.ts' } });
