import type { Bar, Chart } from '../plots/chart.ts';
import { grouped } from '../plots/grouped.ts';
import type { Figure } from '../plots/grouped.ts';
import type { Result } from '../results.ts';

export function redisCharts(results: readonly Result[]): Chart[] {
  // Of many similar cells, the usual case.
  const cells = results.filter(({ processes, hold }) => processes === 4 && hold === 2);
  const setting = '4 processes, held 2 ms';
  return [
    grouped(results, 'redis/uncontended', {
      name: 'uncontended',
      title: 'Uncontended acquire and release, over the raw client',
      unit: 'ratio: median of the rounds, with their range; the raw client has neither tokens nor a queue',
      line: 1,
      group: ({ concurrency }) => `${concurrency} at once`,
      of: ({ ratioToRaw, subject }) => (subject === 'raw client' ? undefined : ratioToRaw),
      range: true,
    }),
    grouped(cells, 'redis/contended', {
      name: 'gap',
      title: `From release to the next holder, one key, ${setting}`,
      unit: 'ms, p50 (logarithmic); only hand-overs to another worker count',
      log: true,
      group: ({ waiters }) => `${waiters} waiters`,
      of: ({ p50 }) => p50,
    }),
    grouped(cells, 'redis/contended', {
      name: 'fairness',
      title: `Fairness among the waiters, one key, ${setting}`,
      unit: "Jain's index: 1 when all have the same",
      line: 1,
      group: ({ waiters }) => `${waiters} waiters`,
      of: ({ fairness }) => fairness,
    }),
    grouped(cells, 'redis/contended', {
      name: 'commands',
      title: `Commands sent for each acquisition, one key, ${setting}`,
      unit: 'client commands (logarithmic)',
      log: true,
      group: ({ waiters }) => `${waiters} waiters`,
      of: (result) => result.commandsPerAcquisition,
    }),
    grouped(results, 'redis/total-time', {
      name: 'total-time',
      title: 'Until 100 workers had the lock 10 times each, held 2 ms',
      unit: 'seconds; no bar: not done in time',
      group: ({ processes }) => `${processes} process(es)`,
      of: ({ totalTime }) => (totalTime === undefined ? undefined : totalTime / 1_000),
    }),
    renewalChart(results.filter(({ scenario }) => scenario === 'redis/renewal')),
  ];
}

function renewalChart(results: readonly Result[]): Chart {
  const bars = (of: Figure): Bar[] =>
    results.flatMap((result) => {
      const value = of(result);
      return value === undefined ? [] : [{ series: result.subject, value }];
    });
  return {
    name: 'renewal',
    title: 'CPU time of 10,000 held locks that are renewed',
    unit: 'ms per second',
    groups: [
      { label: 'client', bars: bars(({ clientCpu }) => clientCpu) },
      { label: 'server', bars: bars(({ serverCpu }) => serverCpu) },
    ],
  };
}
