import { LockError, createDeadline, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';
import { readConfig } from '../config.ts';
import { explain } from '../connection/explain.ts';
import { Members } from '../connection/members.ts';
import { checks } from './checks.ts';
import { alarms, memberList } from '../wire/calls.ts';

/** Looks at the members of `config`. */
export async function diagnose({ url, options, runtime }: AdapterConfig): Promise<Diagnosis> {
  const { hosts, secrets, read, connectTimeout } = readConfig(url, options, runtime);
  const within = read.timeout;
  const deadline = createDeadline(runtime, within, 'etcd', () => members.failure);
  const members: Members = new Members({ hosts, secrets, deadline, runtime });
  try {
    await members.use(connectTimeout).catch(async (error: unknown) => {
      throw await explain(error, hosts, await secrets.tls().catch(() => undefined), connectTimeout);
    });
    const asked = { within, repeats: true };
    const cluster = { alarms: async () => await members.call(alarms, {}, 'its alarms', asked) };
    const findings = await runChecks(checks, cluster, { backend: 'etcd', within, runtime });
    const list = await members.call(memberList, {}, 'the list of its members', asked).catch(() => undefined);
    return {
      findings,
      server: list?.members
        .map(({ ID }) => ID)
        .toSorted()
        .join(' '),
    };
  } finally {
    members.close(new LockError('LOCK_CLOSED', 'The look at etcd is over.'));
    deadline.stop();
  }
}
