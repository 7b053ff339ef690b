import { coreCharts } from '../core/charts.ts';
import { memoryCharts } from '../memory/charts.ts';
import { redisCharts } from '../redis/charts.ts';
import type { Result } from '../results.ts';
import { zookeeperCharts } from '../zookeeper/charts.ts';
import type { Chart } from './chart.ts';

/** The charts of the site for which `results` suffice. */
export function chartsOf(results: readonly Result[]): Chart[] {
  const all = [redisCharts, zookeeperCharts, memoryCharts, coreCharts].flatMap((of) => of(results));
  return all.filter(({ groups }) => groups.some(({ bars }) => bars.length > 0));
}
