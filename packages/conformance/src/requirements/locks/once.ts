import assert from 'node:assert/strict';
import type { Locks, TryResult } from '@locks/core';
import { mustReject } from '../../checks/expect.ts';
import { certain, now, sleep } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { all, whenSession, whenTimed, whenStoreExpires } from '../when.ts';
import { inTime } from './leasing.ts';

/** Work that runs once in a slot. */
export const onceRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object' })({
  'locks-once': {
    title: 'once runs in one process for each slot, though the run is over before the others ask',
    when: whenStoreExpires,
    async check(context) {
      const fleet = [await context.createLocks(), await context.createLocks(), await context.createLocks()] as const;
      const [one, two, three] = fleet;
      const key = context.key();
      // What comes late at a member of a quorum stays for the ttl.
      const { ttl } = context;
      const keep = 8 * ttl;
      const call = (locks: Locks, slot: string): Promise<TryResult<string>> =>
        inTime(context, () => locks.once(key, slot, { keep, ttl }, async () => slot));
      const since = now();
      const together = await Promise.all(fleet.map((locks) => call(locks, 'first')));
      const later = [await call(three, 'first'), await call(one, 'first')];
      assert.deepEqual(await call(two, 'second'), { held: true, value: 'second' }, 'expected a run in another slot');
      const failing = one.once(key, 'failing', { keep, ttl }, () => Promise.reject(new Error('as it should')));
      await failing.catch(() => {});
      later.push(await call(two, 'failing'));
      // Later than that the slots are forgotten.
      if (now() - since >= certain(keep)) return;
      assert.equal(ran(together), 1, `expected one of three calls at once to run, ${ran(together)} did`);
      assert.equal(ran(later), 0, 'expected no further run in a slot that had one, also where that failed');
    },
  },
  'locks-once-every': {
    title: 'once runs at most once in each slot by the clock of the store, and in the next slot again',
    when: all(whenStoreExpires, whenTimed),
    async check(context) {
      const fleet = [await context.createLocks(), await context.createLocks(), await context.createLocks()] as const;
      const provider = await context.create();
      const key = context.key();
      // Long enough that a loaded machine is asked twice in one slot.
      const { ttl } = context;
      const every = 4 * ttl;
      const runs: (readonly [before: number, after: number])[] = [];
      const slot = async (): Promise<number> => Math.floor(Number(await provider.time?.()) / every + 1 / 2);
      const call = async (locks: Locks): Promise<void> => {
        const before = await slot();
        const { held } = await inTime(context, () => locks.once(key, { every }, { ttl }, () => {}));
        if (held) runs.push([before, await slot()]);
      };
      for (const first = await slot(); (await slot()) <= first + 2; await sleep(every / 20)) {
        await Promise.all(fleet.map((locks) => call(locks)));
      }
      // Between two slots nothing tells in which of them a run was.
      const known = runs.flatMap(([before, after]) => (before === after ? [before] : []));
      const twice = known.find((number, index) => known.indexOf(number) !== index);
      assert.equal(twice, undefined, `expected one run in each slot at most; slots of the runs: ${known.join()}`);
      assert.ok(runs.length >= 2, `expected a run in each of 3 slots, got ${runs.length} in all`);
    },
  },
  'locks-once-session': {
    title: 'where holds end with a session, once is refused, naming the trait',
    when: whenSession,
    async check(context) {
      const locks = await context.createLocks();
      const calling = locks.once(context.key(), 'slot', () => {});
      await mustReject(calling, 'LOCK_MISCONFIGURED', 'where a slot is forgotten with its process');
      await calling.catch((error: unknown) => assert.match(String(error), /expiry/));
    },
  },
});

function ran(results: readonly TryResult<unknown>[]): number {
  return results.filter(({ held }) => held).length;
}
