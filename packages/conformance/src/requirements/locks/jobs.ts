import assert from 'node:assert/strict';
import type { Locks, OnceOptions, OnceResult } from '@locks/core';
import { mustReject, show } from '../../checks/expect.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { range } from '../steps.ts';
import { begins, callUntilOver, die, ends, listed, losingChanges, mustSay, slotOf, withJob } from './jobs-steps.ts';
import { inTime } from './leasing.ts';

/** The record that `once` keeps of each job. */
export const jobsRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object', when: ['register'] })({
  'locks-job-running': {
    title: 'a call while the job runs elsewhere returns by whom and since when, and a call after it how it ended',
    check: async (context) =>
      await withJob(context, async (key, [, two, three]) => {
        const one = await context.createLocks({ label: 'runner', ttl: context.longTtl });
        const ttl = context.longTtl;
        let end = (): void => {};
        const ended = new Promise<void>((resolve) => (end = resolve));
        let begin = (): void => {};
        const begun = new Promise<void>((resolve) => (begin = resolve));
        const run = one.once(key, slotOf(1), { ttl }, async () => {
          begin();
          await ended;
          return 'printed';
        });
        await within(context.patience, Promise.race([begun, inBackground(run)]), 'the work to begin');
        const during = await two.once(key, slotOf(1), { ttl }, () => 'again');
        assert.equal(
          during.state,
          'running',
          `expected a call during the run to return "running", got ${show(during)}`,
        );
        const who = { key, slot: slotOf(1), by: 'runner', tries: 1, failures: 0 };
        mustSay(during.job, { ...who, state: 'running', ended: undefined }, 'while it runs');
        mustSay(await three.job(key), { ...who, state: 'running' }, 'to one who asks while it runs');
        end();
        const ran = await run;
        assert.deepEqual(
          ran.held ? [ran.state, ran.value] : ran,
          ['ran', 'printed'],
          'expected the result of the work',
        );
        const done = await two.once(key, slotOf(1), { ttl }, () => 'again');
        assert.equal(done.state, 'done', `expected a call after the run to return "done", got ${show(done)}`);
        mustSay(done.job, { ...who, state: 'done', lastDone: slotOf(1) }, 'after it ran');
        const { began, ended: at } = done.job ?? {};
        assert.deepEqual(began, during.job?.began, 'expected the beginning to stay as it was');
        assert.ok(began !== undefined && at !== undefined && at >= began, `expected an end, got ${show(done.job)}`);
      }),
  },
  'locks-job-failure': {
    title: 'a failed run is reported with its error and exit code, and is retried as often as its callers want',
    check: async (context) =>
      await withJob(context, async (key, [one, two]) => {
        const ttl = context.longTtl;
        const failure = Object.assign(new Error('no paper'), { exitCode: 3 });
        const failing = (options: OnceOptions): Promise<void> =>
          assert.rejects(
            one.once(key, slotOf(1), { ttl, ...options }, () => Promise.reject(failure)),
            failure,
          );
        const call = async (options: OnceOptions): Promise<string> =>
          (await two.once(key, slotOf(1), { ttl, ...options }, () => 'printed')).state;
        await failing({});
        assert.equal(await call({}), 'failed', "expected 'keep' to repeat nothing");
        const error = { state: 'failed', exitCode: 3, error: 'no paper' } as const;
        mustSay(await two.job(key), { ...error, tries: 1, failures: 1 }, 'after a run that failed');
        const later = { onFailure: { retries: 5, after: '1h' } } as const;
        assert.equal(await call(later), 'failed', 'expected no run before the pause after a failure is over');
        const twice = { onFailure: { retries: 1 } } as const;
        await failing(twice);
        assert.equal(await call(twice), 'failed', 'expected no third run with one retry');
        mustSay(await two.job(key), { ...error, tries: 2, failures: 2 }, 'after two runs that failed');
        assert.equal(await call({ onFailure: 'retry' }), 'ran', 'expected a third run with more retries');
        mustSay(
          await one.job(key),
          { state: 'done', tries: 3, failures: 0, exitCode: undefined },
          'after it succeeded',
        );
      }),
  },
  'locks-job-crash': {
    title: 'a run of a silent process is crashed once its hold has ended: its slot is kept, or retried if wanted',
    check: async (context) =>
      await withJob(context, async (key, [one, two]) => {
        const { longTtl } = context;
        await die(context, key, slotOf(1));
        let runs = 0;
        const call = (slot: Date, options: OnceOptions): Promise<OnceResult<number>> =>
          inTime(context, () => one.once(key, slot, { ttl: longTtl, ...options }, () => (runs += 1)));
        const kept = await callUntilOver(context, () => call(slotOf(1), {}));
        assert.deepEqual([kept.state, runs], ['failed', 0], `expected the slot to be kept, got ${show(kept)}`);
        mustSay(kept.job, { state: 'crashed', slot: slotOf(1), tries: 1, failures: 1 }, 'after a crash');
        await die(context, key, slotOf(2));
        await context.eventually(
          'the job to be shown as crashed',
          async () => (await two.job(key))?.state === 'crashed',
        );
        const retried = await callUntilOver(context, () => call(slotOf(2), { onFailure: 'retry' }));
        assert.deepEqual([retried.state, runs], ['ran', 1], `expected the slot to be retried, got ${show(retried)}`);
        mustSay(retried.job, { state: 'done', slot: slotOf(2), tries: 2, failures: 0 }, 'after a retry');
      }),
  },
  'locks-job-standby': {
    title: 'a call with wait takes over from a run that fails or dies, and a call for the next slot waits for the dead',
    check: async (context) =>
      await withJob(context, async (key, [one, two, three]) => {
        const { ttl, longTtl, patience } = context;
        const wait = longTtl;
        let fail = (_error: Error): void => {};
        const failing = new Promise<never>((_, reject) => (fail = reject));
        const failed = inBackground(one.once(key, slotOf(1), { ttl: longTtl }, () => failing));
        await context.eventually('the job to run', async () => (await two.job(key))?.state === 'running');
        const standby = inBackground(two.once(key, slotOf(1), { ttl: longTtl, wait, onFailure: 'retry' }, () => 2));
        const waiting = await Promise.race([standby, sleep(ttl / 2)]);
        assert.equal(waiting, undefined, `expected a call with wait to wait for the run, got ${show(waiting)}`);
        fail(new Error('as it should'));
        await assert.rejects(failed, /as it should/);
        assert.equal((await within(patience, standby, 'a standby to take over')).state, 'ran', 'expected it to run');
        for (const [dead, slot, options] of [
          [slotOf(2), slotOf(2), { wait, onFailure: 'retry' }],
          [slotOf(3), slotOf(4), {}],
        ] as const) {
          await die(context, key, dead);
          const next = inTime(context, () => three.once(key, slot, { ttl, ...options }, () => 3));
          const { state } = await within(4 * ttl + 2 * patience, next, 'a run after one that died');
          assert.equal(state, 'ran', `expected slot ${show(slot)} to run after slot ${show(dead)} had died`);
        }
      }),
  },
  'locks-job-list': {
    title: 'the list has each job once; retryJob opens its slot, and forgetJob removes it until it runs again',
    async check(context) {
      const fleet = [await context.createLocks(), await context.createLocks(), await context.createLocks()] as const;
      const [one, two, three] = fleet;
      const ttl = context.longTtl;
      const prefix = `${context.key()}/`;
      const keys = range(3).map((number) => `${prefix}${number}`);
      const run = (locks: Locks, key: string, slot: number): Promise<OnceResult<void>> =>
        locks.once(key, slotOf(slot), { ttl }, () => {});
      await Promise.all(fleet.map((locks, index) => run(locks, keys[index] ?? prefix, 1)));
      for (const locks of fleet) for (const key of keys) await run(locks, key, 2);
      const mustBeListed = async (expected: readonly string[], when: string): Promise<void> => {
        const found = (await listed(two, prefix)).map(({ key }) => key).toSorted();
        assert.deepEqual(found, expected, `expected each job once in the list ${when}, got ${show(found)}`);
      };
      await mustBeListed(keys, 'after several runs in several processes');
      const [key = prefix, ...others] = keys;
      assert.equal(await two.retryJob(`${prefix}none`), false, 'expected no retry of an unknown job');
      assert.deepEqual([await two.retryJob(key), await two.retryJob(key)], [true, false], 'expected one retry');
      mustSay(await one.job(key), { state: 'open', slot: slotOf(2) }, 'after retryJob');
      const states = [await run(three, key, 2), await run(one, key, 2)].map(({ state }) => state);
      assert.deepEqual(states, ['ran', 'done'], 'expected one more run of a slot that was opened');
      assert.deepEqual(
        [await two.forgetJob(key), await one.forgetJob(key)],
        [true, false],
        'expected one to remove it',
      );
      assert.equal(await three.job(key), undefined, 'expected no record of a job that was forgotten');
      await mustBeListed(others, 'after one was forgotten');
      assert.equal((await run(one, key, 1)).state, 'ran', 'expected a job that was forgotten to run in any slot');
      await mustBeListed(keys, 'after a job that another process forgot ran again');
      for (const each of keys) await two.forgetJob(each);
      await mustBeListed([], 'after all were forgotten');
    },
  },
  'locks-job-race': {
    title: 'of calls that race for one slot exactly one runs, in each of 20 slots',
    check: async (context) =>
      await withJob(context, async (key, fleet) => {
        const ttl = context.longTtl;
        // Its calls act on what they read earlier.
        const late = losingChanges(
          context,
          await context.create(),
          () => undefined,
          async () => await sleep(context.random.integer(8)),
        );
        const calls = range(6).map((index) => [late, ...fleet][index % (fleet.length + 1)] as Locks);
        for (const slot of range(20)) {
          let runs = 0;
          const answers = await Promise.all(
            calls.map(async (locks) => {
              await sleep(context.random.integer(4));
              return await locks.once(key, slotOf(slot + 1), { ttl }, () => void (runs += 1));
            }),
          );
          const states = answers.map(({ state }) => state);
          assert.equal(runs, 1, `expected one run in slot ${slot}, there were ${runs}: ${show(states)}`);
          const others = states.filter((state) => !['ran', 'running', 'done'].includes(state));
          assert.deepEqual(others, [], `expected the others to return that run in slot ${slot}`);
        }
      }),
  },
  'locks-job-lost-answers': {
    title: 'a record is written again if its change or the answer is lost: the job runs once, and its end is recorded',
    check: async (context) =>
      await withJob(context, async (key, [, two]) => {
        const ttl = context.longTtl;
        let slot = 0;
        for (const fate of ['before', 'after'] as const) {
          for (const of of [begins, ends]) {
            slot += 1;
            let [lost, runs] = [0, 0];
            const locks = losingChanges(context, await context.create(), (to) =>
              of(to) && lost++ === 0 ? fate : undefined,
            );
            const call = locks.once(key, slotOf(slot), { ttl }, () => (runs += 1));
            const { state } = await within(2 * context.patience, call, 'a call whose record was lost to end');
            assert.deepEqual([state, runs, lost], ['ran', 1, 2], `expected one run, and the change twice (${fate})`);
            const next = await two.once(key, slotOf(slot), { ttl }, () => (runs += 1));
            assert.deepEqual([next.state, runs], ['done', 1], `expected the end to be recorded (${fate})`);
          }
        }
      }),
  },
  'locks-job-lost-lock': {
    title: 'a slot whose lock is lost during its run runs no second time, and its run is reported as lost',
    check: async (context) =>
      await withJob(context, async (key, [one, two]) => {
        const ttl = context.longTtl;
        let runs = 0;
        const provider = await context.create();
        const run = one.once(key, slotOf(1), { ttl }, async (lease) => {
          runs += 1;
          await provider.release({ key: lease.key, owner: lease.owner, mode: lease.mode, ttl });
          await context.idle(provider, lease.key, 'after a forced release');
          const during = await two.once(key, slotOf(1), { ttl }, () => (runs += 1));
          assert.equal(during.state, 'failed', `expected another process to take it for over, got ${show(during)}`);
          await lease.renew().catch(() => {});
        });
        await mustReject(run, 'LOCK_LOST', 'for once when its lock was lost');
        const after = await two.once(key, slotOf(1), { ttl }, () => (runs += 1));
        assert.deepEqual([after.state, runs], ['failed', 1], `expected one run of the slot, got ${show(after)}`);
        const lost = one.once(key, slotOf(2), { ttl }, async (lease) => {
          await provider.release({ key: lease.key, owner: lease.owner, mode: lease.mode, ttl });
          await lease.renew().catch(() => {});
        });
        await mustReject(lost, 'LOCK_LOST', 'for once when its lock was lost');
        mustSay(await two.job(key), { state: 'lost', slot: slotOf(2), failures: 2 }, 'after its lock was lost');
      }),
  },
  'locks-once-no-register': {
    title: 'where the store has no registers, once is rejected as misconfigured, naming them',
    when: ['no-register'],
    async check(context) {
      const locks = await context.createLocks();
      const call = locks.once(context.key(), slotOf(1), () => {});
      const error = await mustReject(call, 'LOCK_MISCONFIGURED', 'for once without registers');
      assert.match(error.message, /register/, 'expected the error to name what is missing');
    },
  },
});
