import { LockError, createDeadline, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Check, Diagnosis } from '@locks/core/adapter';
import { readConfig } from './config.ts';
import { explain } from './connection/explain.ts';
import { Members } from './connection/members.ts';
import { alarms, memberList } from './wire/calls.ts';
import type { AlarmAnswer } from './wire/messages.ts';

const alarmNames = ['none', 'NOSPACE', 'CORRUPT'];

/** The checks of a cluster. A call rejects if the user has no right to it. */
const checks: readonly Check<() => Promise<AlarmAnswer>>[] = [
  {
    name: 'alarms',
    async look(ask) {
      const raised = new Set((await ask()).alarms.map(({ alarm }) => alarmNames[alarm] ?? String(alarm)));
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
      throw new Error('etcd does not report which processes are connected');
    },
  },
];

/**
 * Examines the members of a configuration, for `locks doctor`. Writes nothing.
 * @throws as `fromConfig`.
 */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  const { url, options, runtime } = config;
  const { hosts, secrets, read, connectTimeout } = readConfig(url, options, runtime);
  const within = read.timeout;
  const deadline = createDeadline(runtime, within, 'etcd', () => members.failure);
  const members: Members = new Members({ hosts, secrets, deadline, runtime });
  const asked = { within, repeats: true };
  try {
    await members.use(connectTimeout).catch(async (error: unknown) => {
      throw (await explain(error, hosts, secrets, connectTimeout)) ?? error;
    });
    const ask = (): Promise<AlarmAnswer> => members.call(alarms, {}, 'its alarms', asked);
    const findings = await runChecks(checks, ask, { backend: 'etcd', within, runtime });
    const list = await members.call(memberList, {}, 'the list of its members', asked).catch(() => undefined);
    const ids = list?.members.map(({ ID }) => ID).toSorted();
    return { findings, server: ids?.join(' ') };
  } finally {
    members.close(new LockError('LOCK_CLOSED', 'The examination of etcd is over.'));
    deadline.stop();
  }
}
