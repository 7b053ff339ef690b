import assert from 'node:assert/strict';
import type { LockProvider, OnceResult } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { show } from '../../checks/expect.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { begins, ends, losingChanges, mustSay, slotOf } from '../locks/jobs-steps.ts';
import { rules } from '../rules.ts';
import { answered, callLimit, warmUp } from './steps.ts';

/** A job whose store cannot be reached for a while runs once, and its end is recorded. */
export const locksJobsRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'connection',
  when: ['network', 'register'],
})({
  'locks-job-dropped-reply': {
    title: 'a run with a changed record whose reply was lost with its connection happens once and is done',
    needs: ['dropReply'],
    check: async (context) => {
      for (const [index, which] of [begins, ends].entries()) {
        await runThrough(context, slotOf(index + 1), async (provider, run) => {
          let lost = 0;
          const locks = losingChanges(context, provider, async (to) => {
            if (which(to) && lost++ === 0) await context.faults.dropReply(provider);
            return undefined;
          });
          return await run(locks, async () => {});
        });
      }
    },
  },
  'locks-job-sever': {
    title: 'a run whose connections are repeatedly cut is done, and happens once',
    needs: ['sever'],
    check: async (context) =>
      await runThrough(context, slotOf(1), async (provider, run) => {
        return await run(context.locksOn(provider), async () => {
          for (let cuts = 0; cuts < 3; cuts += 1) {
            await context.faults.sever(provider);
            await sleep(context.ttl / 2);
          }
          await context.faults.sever(provider);
        });
      }),
  },
  'locks-job-silence': {
    title: 'a run that ends while its store is silent is recorded after the silence, and its slot runs no second time',
    needs: ['silence'],
    check: async (context) =>
      await runThrough(context, slotOf(1), async (provider, run) => {
        let end: (() => Promise<void>) | undefined;
        const running = inBackground(
          run(context.locksOn(provider), async () => void (end = await context.faults.silence(provider, 'both'))),
        );
        await context.eventually('the work to run', () => end !== undefined);
        await sleep(context.ttl);
        await end?.();
        return await running;
      }),
  },
});

type Run = (locks: ReturnType<Context['locksOn']>, work: () => Promise<void>) => Promise<OnceResult<void>>;

/** A run on a provider affected by `hurt`, as others see it afterwards. */
async function runThrough(
  context: Context,
  slot: Date,
  hurt: (provider: LockProvider, run: Run) => Promise<OnceResult<void>>,
): Promise<void> {
  const provider = await context.create();
  const other = await context.createLocks();
  await warmUp(context, provider, await context.create());
  const key = context.key();
  const ttl = context.longTtl;
  let runs = 0;
  const run: Run = (locks, work) =>
    locks.once(key, slot, { ttl }, async () => {
      runs += 1;
      const during = await other.once(key, slot, { ttl }, () => void (runs += 1));
      assert.equal(during.state, 'running', `expected another process to see it running, got ${show(during)}`);
      await work();
    });
  const limit = 2 * callLimit(context) + 4 * context.ttl;
  const { state, job } = await within(limit, hurt(provider, run), 'once to settle');
  assert.deepEqual([state, runs], ['ran', 1], `expected one run, got ${show({ state, runs, job })}`);
  const after = await answered(context, 'a call of another process', () =>
    other.once(key, slot, { ttl }, () => void (runs += 1)),
  );
  assert.deepEqual([after.state, runs], ['done', 1], `expected the slot to be done after it, got ${show(after)}`);
  mustSay(after.job, { state: 'done', slot, tries: 1, failures: 0 }, 'after a run through a fault');
  await other.forgetJob(key);
}
