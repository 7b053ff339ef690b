// Writes dist/bundle, the JavaScript that is published: see docs/adr/0005. Types stay those of tsc.
import { rolldown } from 'rolldown';

const source = new URL('../src/', import.meta.url).pathname;
const bundle = await rolldown({
  input: { index: `${source}index.ts`, adapter: `${source}adapter/index.ts`, testing: `${source}testing/index.ts` },
  external: /^node:/,
  platform: 'node',
});
await bundle.write({
  dir: new URL('../dist/bundle/', import.meta.url).pathname,
  format: 'esm',
  chunkFileNames: '[name].js',
  cleanDir: true,
});
await bundle.close();
