import { createDeadline, systemRuntime } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import { onTestFinished } from 'vitest';
import { Members } from '../../src/connection/members.ts';
import { secretsOf } from '../../src/connection/secrets.ts';
import { sharedServer } from './etcd.ts';

/** The shared server, as the one member of a cluster, until the end of the test. */
export function membersOf(): { readonly members: Members; readonly deadline: Deadline } {
  const runtime = systemRuntime;
  const deadline = createDeadline(runtime, 5_000, 'etcd');
  const secrets = secretsOf({ username: undefined, password: undefined, tls: undefined }, runtime, 5_000);
  const members = new Members({ hosts: [sharedServer()], secrets, deadline, runtime });
  onTestFinished(() => members.close(new Error('over') as never));
  return { members, deadline };
}
