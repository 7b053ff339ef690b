import { expect, test } from 'vitest';
import { leaseGrant, range } from '../../src/wire/calls.ts';
import { membersOf } from '../support/members.ts';

test('a call whose member is left before it is sent goes to the next one', async () => {
  const { members } = membersOf();
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
