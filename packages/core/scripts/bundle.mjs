import { bundle } from '../../../scripts/bundle.mjs';

await bundle(new URL('../', import.meta.url), {
  entries: {
    index: 'index.ts',
    adapter: 'adapter/index.ts',
    composite: 'composite/index.ts',
    testing: 'testing/index.ts',
    open: 'open/index.ts',
    text: 'text/index.ts',
  },
  // A stack trace names the file: so a file is called like the folders that its code is from.
  groups: [
    { name: 'leases', test: /src\/leases\// },
    { name: 'locks', test: /src\/(manager\.ts|objects\/)/ },
    { name: 'memory', test: /src\/memory\/(?!config)/ },
    {
      name: 'errors-options-time',
      test: /src\/(errors|options|time)\/|src\/adapter\/(fencing-guard|batches)/,
    },
  ],
});
