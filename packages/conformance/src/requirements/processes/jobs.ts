import assert from 'node:assert/strict';
import { show } from '../../checks/expect.ts';
import { within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { callUntilOver, mustSay, slotOf } from '../locks/jobs-steps.ts';
import { inTime } from '../locks/leasing.ts';
import { rules } from '../rules.ts';
import { range } from '../steps.ts';

/** Jobs of several processes. */
export const processesJobsRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'object',
  when: ['register', 'processes-meet'],
  needs: ['processes'],
})({
  'processes-job-killed': {
    title:
      'the run of a killed process is reported as crashed: its slot does not run again, unless its callers want that',
    async check(context) {
      const [locks, observer] = [await context.createLocks(), await context.createLocks()] as const;
      const { ttl } = context;
      const key = context.key();
      let runs = 0;
      for (const [slot, onFailure, state, crashed] of [
        [slotOf(1), 'keep', 'failed', 1],
        [slotOf(2), 'retry', 'ran', 0],
      ] as const) {
        const other = await context.fork();
        await other.runJob(key, slot.getTime(), ttl);
        const during = await inTime(context, () => locks.once(key, slot, { ttl, onFailure }, () => (runs += 1)));
        if (during.state === 'running') mustSay(during.job, { state: 'running', slot, tries: 1 }, 'while it runs');
        await other.kill();
        const result = await callUntilOver(context, () =>
          inTime(context, () => locks.once(key, slot, { ttl, onFailure }, () => (runs += 1))),
        );
        assert.equal(result.state, state, `expected '${onFailure}' after a crash, got ${show(result)}`);
        mustSay(
          await observer.job(key),
          { state: crashed === 1 ? 'crashed' : 'done', slot, failures: crashed },
          'then',
        );
      }
      assert.equal(runs, 1, `expected one run after two crashes, of which one is kept; there were ${runs}`);
      await observer.forgetJob(key);
    },
  },
  'processes-job-race': {
    title: 'of three processes that call for the same 40 slots at their own pace, exactly one runs each of them',
    async check(context) {
      const others = await Promise.all([context.fork(), context.fork(), context.fork()]);
      const key = context.key();
      const slots = range(40).map((number) => slotOf(number + 1).getTime());
      const races = Promise.all(others.map((other) => other.raceForJob(key, slots, context.longTtl)));
      const answers = await within(4 * context.patience + context.longTtl / 2, races, 'all calls to be answered');
      for (const [index, slot] of slots.entries()) {
        const states = answers.map((own) => own[index]);
        const runs = states.filter((state) => state === 'ran').length;
        assert.equal(runs, 1, `expected one run in slot ${slot}, there were ${runs}: ${show(states)}`);
      }
      await (await context.createLocks()).forgetJob(key);
    },
  },
});
