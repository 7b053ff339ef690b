import assert from 'node:assert/strict';
import type { Election, Leader, Lease, Locks } from '@locks/core';
import { subscribe } from '@locks/core';
import { show } from '../../checks/expect.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { pick } from '../steps.ts';

const rest = 60_000;
const poll = 25;

/** Candidates that lead until they are asked to end, and the leases of their terms. */
interface Contest {
  readonly candidates: readonly Election[];
  readonly terms: Lease[];
}

function contest(all: readonly Locks[], key: string): Contest {
  const terms: Lease[] = [];
  const lead = async (lease: Lease): Promise<void> => {
    terms.push(lease);
    await new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve()));
  };
  return { terms, candidates: all.map((locks) => locks.elect(key, lead, { cooldown: rest })) };
}

function observe(locks: Locks, key: string): (Leader | null)[] {
  const seen: (Leader | null)[] = [];
  const follow = async (): Promise<void> => {
    for await (const leader of locks.leadership(key, { poll })) seen.push(leader);
  };
  void inBackground(follow());
  return seen;
}

/** Leaders, and those who watch them. */
export const electionsRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object' })({
  'locks-election': {
    title: 'of three candidates one leads; the next one leads when it resigns, and observers see the leaders in order',
    async check(context) {
      const all = await Promise.all([1, 2, 3].map(() => context.createLocks({ ttl: context.longTtl })));
      const key = context.key();
      const { candidates, terms } = contest(all, key);
      const observers = [pick(all, 0), await context.createLocks()].map((locks) => observe(locks, key));
      for (const number of [1, 2, 3]) {
        await context.eventually(
          `leader ${number} to be seen by the observers`,
          () =>
            terms.length === number &&
            observers.map((seen) => seen.at(-1)?.owner).every((owner) => owner === terms[number - 1]?.owner),
        );
        // Observers poll the same leader again, and must report nothing.
        if (number === 1) await sleep(3 * poll);
        const leaders = candidates.filter(({ leading }) => leading);
        assert.deepEqual([leaders.length, terms.filter(({ held }) => held).length], [1, 1], 'expected one leader');
        const [leader] = leaders as [Election];
        const lease = terms[number - 1] as Lease;
        await context.eventually(
          'leader() to name the leader',
          async () => (await leader.leader())?.owner === lease.owner,
        );
        const resigned = await within(context.patience, inBackground(leader.resign()), 'the leader to resign');
        assert.deepEqual([resigned, lease.held], [true, false], 'expected resign to end with the lease released');
        assert.ok(lease.signal.aborted, 'expected the signal of a leader that resigns to be aborted');
      }
      await context.eventually('the observers to see that no process leads', () =>
        observers.map((seen) => seen.at(-1)).every((leader) => leader === null),
      );
      for (const seen of observers) {
        const changes = seen.map((leader) => leader?.owner);
        assert.ok(!changes.some(isRepeated), 'expected observers to see each change once');
        const leaders = changes.filter((owner) => owner !== undefined);
        const owners = terms.map(({ owner }) => owner);
        // Observers see votes. In a quorum a claim may briefly have those of a majority before its
        // turn, and while a member restarts, too few may show the leader.
        let found = 0;
        for (const owner of leaders) if (owner === owners[found]) found += 1;
        const told = `expected each leader, in order, got ${show(leaders)} for ${show(owners)}`;
        assert.ok(found === owners.length && leaders.every((owner) => owners.includes(owner)), told);
      }
      await Promise.all(candidates.map((candidate) => candidate.stop()));
      const provider = await context.create();
      await context.idle(provider, key, 'at the end');
    },
  },
  'locks-election-again': {
    title: 'a leader whose work fails becomes a candidate again, and a stopped one does not',
    async check(context) {
      const locks = await context.createLocks({ ttl: context.longTtl });
      const key = context.key();
      let terms = 0;
      // A listener: without one the errors are warnings of the process.
      using _ = subscribe('locks:election', () => {});
      const candidate = locks.elect(
        key,
        () => {
          terms += 1;
          if (terms < 3) throw new Error('the leader fails, as it should here');
        },
        { cooldown: 10 },
      );
      await context.eventually('a third term after two that failed', () => terms >= 3);
      await within(context.patience, inBackground(candidate.stop()), 'the candidate to stop');
      await within(context.patience, candidate.ended, 'the end of its candidacy');
      const provider = await context.create();
      await context.idle(provider, key, 'at the end');
    },
  },
});

function isRepeated<T>(value: T, index: number, all: readonly T[]): boolean {
  return index > 0 && value === all[index - 1];
}
