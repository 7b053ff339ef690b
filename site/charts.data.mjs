import { readFileSync } from 'node:fs';
import { chartsOf } from '../benchmarks/src/plots/charts.ts';
import { root } from '../.ci/published.mjs';

/** By the file of benchmarks/results with the figures. */
const shown = {
  redis: ['uncontended', 'gap', 'fairness', 'commands', 'total-time', 'renewal'],
  zookeeper: ['zookeeper-uncontended', 'zookeeper-unsynced', 'zookeeper-operations', 'zookeeper-total-time'],
  memory: ['memory-uncontended', 'memory-contended'],
  core: ['installed-size'],
};

/** Read by VitePress when it builds charts.md. */
export default {
  load() {
    return Object.fromEntries(
      Object.entries(shown).map(([name, wanted]) => {
        const file = `benchmarks/results/${name}.json`;
        const charts = chartsOf(JSON.parse(readFileSync(`${root}/${file}`, 'utf8')).results);
        return [name, wanted.map((each) => chartOf(charts, each, file))];
      }),
    );
  },
};

function chartOf(charts, name, file) {
  const found = charts.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${file} has no figures for the chart ${name}`);
  return found;
}
