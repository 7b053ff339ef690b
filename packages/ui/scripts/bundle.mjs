import { bundle } from '../../../scripts/bundle.mjs';

await bundle(new URL('../', import.meta.url), {
  entries: { index: 'index.ts', text: 'text/index.ts' },
  // The command line loads the texts with each command, and the page for one.
  groups: [
    { name: 'text', test: /src\/text\// },
    { name: 'ui', test: /src\/(?!index|text\/)/ },
  ],
});
