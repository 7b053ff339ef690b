import { createDeadline, systemRuntime } from '@locks/core/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { Members } from '../../src/connection/members.ts';
import { secretsOf } from '../../src/connection/secrets.ts';
import { leaseGrant, range } from '../../src/wire/calls.ts';
import { sharedServer } from '../support/etcd.ts';

test('a call whose member is left before it is sent goes to the next one', async () => {
  const runtime = systemRuntime;
  const deadline = createDeadline(runtime, 5_000, 'etcd');
  const secrets = secretsOf({ username: undefined, password: undefined, tls: undefined }, runtime, 5_000);
  const members = new Members({ hosts: [sharedServer()], secrets, deadline, runtime });
  onTestFinished(() => members.close(new Error('over') as never));
  const { ID: id } = await members.call(leaseGrant, { TTL: 60 }, 'a lease');
  for (const call of [
    () => members.renew({ ID: id }, {}),
    () => members.call(range, { key: Buffer.from('none') }, 'a read'),
  ]) {
    const answer = call();
    members.leave(await members.use());
    await expect(answer).resolves.toBeDefined();
  }
});
