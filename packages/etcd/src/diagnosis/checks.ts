import type { Check } from '@locks/core/adapter';
import type { AlarmAnswer } from '../wire/messages.ts';

/** The cluster that is looked at. A question rejects where the user may not ask it. */
export interface Cluster {
  readonly alarms: () => Promise<AlarmAnswer>;
}

const alarmNames = ['none', 'NOSPACE', 'CORRUPT'];

/** What a cluster is asked. */
export const checks: readonly Check<Cluster>[] = [
  {
    name: 'alarms',
    async look(cluster) {
      const raised = new Set((await cluster.alarms()).alarms.map(({ alarm }) => alarmNames[alarm] ?? String(alarm)));
      if (raised.size === 0) return { level: 'ok', what: 'No alarm is raised.' };
      const full = raised.has('NOSPACE');
      return {
        level: 'problem',
        what: `etcd has raised ${[...raised].join(', ')}${full ? ': it refuses locks' : ''}.`,
        advice: full
          ? 'Compact and defragment it, then run: etcdctl alarm disarm'
          : 'Replace the member that etcdctl alarm list names.',
      };
    },
  },
  {
    name: 'processes',
    look() {
      throw new Error('etcd does not tell which processes are connected');
    },
  },
];
