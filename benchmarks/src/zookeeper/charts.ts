import type { Result } from '../results.ts';
import type { Chart } from '../plots/chart.ts';
import { grouped } from '../plots/grouped.ts';

/** The charts of the ZooKeeper suite. */
export function zookeeperCharts(results: readonly Result[]): Chart[] {
  const atOnce = ({ concurrency }: Result): string => `${concurrency} at once`;
  return [
    grouped(results, 'zookeeper/uncontended', {
      name: 'zookeeper-uncontended',
      title: 'ZooKeeper: uncontended acquire and release, over the raw client',
      unit: 'ratio: median of the rounds, with their range; the raw client has neither tokens nor a session that it looks after',
      line: 1,
      group: atOnce,
      of: ({ ratioToRaw, subject }) => (subject === 'raw client' ? undefined : ratioToRaw),
      range: true,
    }),
    grouped(results, 'zookeeper/unsynced', {
      name: 'zookeeper-unsynced',
      title: 'ZooKeeper: the same on a server that does not wait for its disk',
      unit: 'ratio: median of the rounds, with their range',
      line: 1,
      group: atOnce,
      of: ({ ratioToRaw, subject }) => (subject === 'raw client' ? undefined : ratioToRaw),
      range: true,
    }),
    grouped(
      results.filter(({ hold }) => hold === 2),
      'zookeeper/contended',
      {
        name: 'zookeeper-operations',
        title: 'ZooKeeper: operations for each acquisition, one key, held 2 ms, by workers and processes',
        unit: 'requests that reach the server, heartbeats among them',
        line: 5,
        group: ({ waiters, processes }) => `${waiters} in ${processes}`,
        of: (result) => result.operationsPerAcquisition,
      },
    ),
    grouped(results, 'zookeeper/total-time', {
      name: 'zookeeper-total-time',
      title: 'ZooKeeper: until 20 workers had the lock 10 times each, held 2 ms',
      unit: 'ms; no bar: not done in time',
      group: ({ processes }) => `${processes} process(es)`,
      of: ({ totalTime }) => totalTime,
    }),
  ];
}
