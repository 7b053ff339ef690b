/**
 * Pages that represent a folder. `path` is the target of links, and `holds` is the prefix of the
 * paths of the pages below it. Those in site/made are written by make-pages.mjs.
 */
export const folders = [
  { path: 'docs/adr', page: 'docs/adr/README.md', holds: ['docs/adr/'] },
  { path: 'packages', page: 'site/made/packages.md', holds: ['packages/', 'site/made/api/'] },
  { path: 'benchmarks', page: 'benchmarks/README.md', holds: ['benchmarks/', 'site/charts.md'] },
  { path: 'examples', page: 'examples/README.md', holds: ['examples/'] },
];
