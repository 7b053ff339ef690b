import { expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { Locks } from '../../../src/index.ts';
import { clockAhead, replaced } from '../../support/replaced.ts';
import { watch } from '../../support/setting.ts';
import { createFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';

const retry = { retries: 3, after: '5s' } as const;

/** The first slot fails in `locks` after a second. */
function fail({ slot, pause }: Fleet, locks: Locks): void {
  const work = async (): Promise<never> => {
    await pause(1_000);
    throw new Error('no paper');
  };
  watch(locks.once('report', slot(0), { onFailure: retry }, work));
}

it.each([
  ['while it runs', 500],
  ['after it failed', 2_000],
])('takes over when the retry is due, where the call came %s', async (_, came) => {
  const fleet = await createFleet();
  const { process, runtime, slot } = fleet;
  const [one, two, three] = [process(), process(), process()];
  fail(fleet, one);
  await runtime.advance(came);
  const options = { onFailure: retry, wait: '1m' } as const;
  const [standby, other] = [two, three].map((locks) =>
    watch(
      locks.once('report', slot(0), options, () => 2),
      runtime,
    ),
  );
  await runtime.advance(5_900 - came);
  expect([standby!.state, other!.state]).toEqual(['open', 'open']);
  await runtime.advance(1_000);
  expect(standby!.value).toMatchObject({ state: 'ran', job: { tries: 2, began: new Date(slot(0).getTime() + 6_000) } });
  expect(other!.value).toMatchObject({ state: 'done' });
});

it('does not wait for a retry that comes too late for it, or never', async () => {
  const fleet = await createFleet();
  const { process, runtime, slot } = fleet;
  const [one, two] = [process(), process()];
  fail(fleet, one);
  await runtime.advance(1_000);
  for (const options of [{ wait: '4900ms' }, {}]) {
    const call = watch(two.once('report', slot(0), { onFailure: retry, ...options }, () => 2));
    await runtime.advance(1);
    expect(call.value).toMatchObject({ state: 'failed', job: { state: 'failed', tries: 1 } });
  }
  const keep = watch(two.once('report', slot(0), { wait: '1m' }, () => 2));
  await runtime.advance(1);
  expect(keep.value).toMatchObject({ state: 'failed' });
});

it.each(['signal', 'close'] as const)('stops to wait for a retry at a %s', async (by) => {
  const fleet = await createFleet();
  const { process, runtime, slot } = fleet;
  const [one, two] = [process(), process()];
  fail(fleet, one);
  await runtime.advance(2_000);
  const stop = new AbortController();
  const options = { onFailure: retry, wait: '1m', signal: stop.signal } as const;
  const call = watch(two.once('report', slot(0), options, () => 2));
  await runtime.advance(100);
  expect(call.state).toBe('open');
  if (by === 'signal') stop.abort(new Error('enough'));
  else void two.close();
  await runtime.advance(1);
  expect(call.error).toMatchObject(by === 'signal' ? { message: 'enough' } : { code: 'LOCK_CLOSED' });
  expect(runtime.keepAliveTimers).toBe(0);
});

it('waits for no retry after a close in the middle of its call', async () => {
  const fleet = await createFleet();
  const { process, runtime, slot, provider } = fleet;
  fail(fleet, process());
  await runtime.advance(2_000);
  const store = provider();
  const slow = replaced(store, {
    time: async () => {
      await fleet.pause(100);
      return await store.time!();
    },
  });
  const locks = createLocks(slow, { runtime });
  const call = watch(locks.once('report', slot(0), { onFailure: retry, wait: '1m' }, () => 2));
  await runtime.advance(50);
  void locks.close();
  await runtime.advance(100);
  expect(call.error).toMatchObject({ code: 'LOCK_CLOSED' });
});

it('counts the time until a retry by the clock of the store', async () => {
  const fleet = await createFleet();
  const { process, runtime, slot, provider } = fleet;
  fail(fleet, process());
  await runtime.advance(2_000);
  const locks = createLocks(provider(), { runtime: clockAhead(runtime, 3_600_000) });
  expect(await locks.once('report', slot(0), { onFailure: retry }, () => 2)).toMatchObject({ state: 'failed' });
  await runtime.advance(4_000);
  expect(await locks.once('report', slot(0), { onFailure: retry }, () => 2)).toMatchObject({ state: 'ran' });
});
