/** How the search box ranks: VitePress' defaults, with guides before records and lists of names. */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  combineWith: 'AND',
  // It reaches the browser as text, so it uses nothing from outside.
  boostDocument: (id) => {
    if (/\/adr\/|\/api\/|\/benchmarks\/|\/charts|CONTRIBUTING|\/stress|\/nemesis|words\.html|\/packages\//.test(id))
      return 0.2;
    if (/native-providers|provider-reference|architecture|-guarantees|diagnostics/.test(id)) return 0.5;
    if (/\/cli\./.test(id)) return 0.8;
    if (/coming-from|\/production/.test(id)) return 1;
    return /\/guides\/|\/docs\/(?:errors|safety|testing|calls|objects\/)/.test(id) ? 1.5 : 1;
  },
};
