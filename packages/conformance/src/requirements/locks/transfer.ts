import assert from 'node:assert/strict';
import { mustExceed, mustReject } from '../../checks/expect.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';

/** Leases transferred from one process to another. */
export const handOverRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object' })({
  'locks-transfer': {
    title: 'a transferred lease continues with its owner and token, in one process, without a gap',
    when: ['ttl', 'fenced'],
    async check(context) {
      const { longTtl, patience } = context;
      const ttl = 4 * context.ttl;
      const [giver, one, two] = [
        await context.createLocks(),
        await context.createLocks(),
        await context.createLocks(),
      ] as const;
      const key = context.key();
      const given = await giver.acquire(key, { ttl });
      const waiting = inBackground(two.acquire(key, { ttl: longTtl }));
      const text = await given.transfer();
      assert.deepEqual([given.held, given.signal.aborted], [false, false], 'expected the lease of the giver to end');
      const resumed = await Promise.allSettled([one.resume(text), two.resume(text), one.resume(text)]);
      const leases = resumed.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const refusals = resumed.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
      const won = `expected one of three resumers to win, ${leases.length} did`;
      assert.equal(leases.length, 1, [won, ...refusals].join('; '));
      const [lease] = leases as [(typeof leases)[0]];
      assert.deepEqual(
        [lease.owner, lease.token],
        [given.owner, given.token],
        'expected the owner and token of before',
      );
      assert.equal(await given.release(), false, 'expected a release by the giver to free nothing');
      await sleep(1.25 * ttl);
      assert.ok(lease.held, 'expected the lease to be renewed by the process that resumed it');
      const provider = await context.create();
      const { holders } = await provider.inspect(key);
      assert.deepEqual(
        holders.map(({ owner }) => owner),
        [given.owner],
        'expected no other holder after the hand-over',
      );
      assert.equal(await lease.release(), true, 'expected release to return true');
      const next = await within(patience, waiting, 'a lease for the next in the queue');
      mustExceed(next.token, given.token, 'for the next holder');
      await mustReject(one.resume(text), 'LOCK_LOST', 'for a lease that was released');
      assert.equal(await next.release(), true, 'expected release to return true');
      await context.idle(provider, key, 'at the end');
    },
  },
  'locks-transfer-giver': {
    title: 'a process that transferred a lease does not affect it, even when its own deadline has passed',
    when: ['ttl'],
    async check(context) {
      const ttl = 4 * context.ttl;
      const [giver, resumer] = [await context.createLocks(), await context.createLocks()] as const;
      const key = context.key();
      const given = await giver.acquire(key, { ttl });
      const lease = await resumer.resume(await given.transfer());
      const provider = await context.create();
      for (let round = 0; round < 2; round += 1) {
        await sleep(ttl);
        // A provider may clean up at each new claim.
        for (let claim = 0; claim < 3; claim += 1) {
          const other = await giver.acquire(context.key(), { ttl });
          await other.release();
        }
        const { holders } = await provider.inspect(key);
        assert.deepEqual(
          holders.map(({ owner }) => owner),
          [given.owner],
          'expected the lease to be held by the process that resumed it',
        );
        assert.ok(lease.held, 'expected the lease to go on');
      }
      assert.equal(await lease.release(), true, 'expected release to return true');
    },
  },
  'locks-transfer-session': {
    title: 'a lease that ends with a session cannot be transferred, and stays held',
    when: ['session'],
    async check(context) {
      const locks = await context.createLocks();
      const lease = await locks.acquire(context.key());
      await mustReject(lease.transfer(), 'LOCK_INVALID', 'where leases end with their sessions');
      assert.ok(lease.held, 'expected the lease to be held');
      assert.equal(await lease.release(), true, 'expected release to return true');
    },
  },
});
