import { expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { LockProvider, Slot } from '../../../src/index.ts';
import { watch } from '../../support/setting.ts';
import { through } from '../../support/through.ts';
import { createFleet } from './fleet.ts';

/** `provider`, and the names of the calls that it gets. */
function counted(provider: LockProvider): { readonly provider: LockProvider; readonly calls: string[] } {
  const calls: string[] = [];
  const pass = <T>(call: () => Promise<T>, name: string): Promise<T> => {
    calls.push(name);
    return call();
  };
  const register: LockProvider['register'] = (...given) =>
    pass(() => provider.register!(...given), given[1] === undefined ? 'read' : 'change');
  const time = (): Promise<number> => pass(() => provider.time!(), 'time');
  return { calls, provider: { ...through(provider, pass), time, register } };
}

it('takes six commands for a run, one for a slot that is over, and two beside a run', async () => {
  const { provider, process, slot, runtime, pause } = await createFleet();
  const { provider: store, calls } = counted(provider());
  const locks = createLocks(store, { runtime });
  const cost = async (at: Slot): Promise<readonly string[]> => {
    const before = calls.length;
    await locks.once('report', at, () => 0);
    return calls.slice(before);
  };
  const run = ['read', 'tryAcquire', 'time', 'change', 'change', 'release'];
  // The first run of a job puts it into the list.
  expect(await cost(slot(0))).toEqual([...run.slice(0, 3), 'read', 'change', ...run.slice(3)]);
  await runtime.advance(60_000);
  expect(await cost(slot(1))).toEqual(run);
  expect([await cost(slot(1)), await cost(slot(0))]).toEqual([['read'], ['read']]);
  await runtime.advance(60_000);
  const other = watch(process().once('report', slot(2), () => pause(1_000)));
  await runtime.advance(500);
  expect(await cost(slot(2))).toEqual(['read', 'tryAcquire']);
  await runtime.advance(60_000);
  expect(other.value).toMatchObject({ state: 'ran' });
  expect(await cost({ every: '1m' })).toEqual(['time', 'read', 'tryAcquire', 'change', 'change', 'release']);
  expect(await cost({ every: '1m' })).toEqual(['time', 'read']);
});
