// Writes dist/bundle, the JavaScript that is published: see docs/adr/0005. Types stay those of tsc.
import { rolldown } from 'rolldown';

const source = new URL('../src/', import.meta.url).pathname;
const bundle = await rolldown({
  input: {
    index: `${source}index.ts`,
    adapter: `${source}adapter/index.ts`,
    composite: `${source}composite/index.ts`,
    testing: `${source}testing/index.ts`,
  },
  external: /^node:/,
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
});
await bundle.write({
  dir: new URL('../dist/bundle/', import.meta.url).pathname,
  format: 'esm',
  // A stack trace names the file: so a file is called like the folders that its code is from.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: 'leases', test: /src\/leases\// },
      { name: 'memory', test: /src\/memory\/(?!config)/ },
      {
        name: 'errors-options-time',
        test: /src\/(errors|options|time)\/|src\/token-floor\/floor-line|src\/adapter\/(fencing-guard|batches)/,
      },
    ],
  },
  // With `node --enable-source-maps` a stack trace names the source and its line.
  sourcemap: true,
  chunkFileNames: '[name].js',
  cleanDir: true,
});
await bundle.close();
