import { expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import type { LockProvider, Slot } from '../../../src/index.ts';
import { watch } from '../../support/setting.ts';
import { createFleet } from './fleet.ts';

/** `provider`, and the names of the calls that it gets. */
function counted(provider: LockProvider): { readonly provider: LockProvider; readonly calls: string[] } {
  const calls: string[] = [];
  const through = <T>(call: string, made: Promise<T>): Promise<T> => {
    calls.push(call);
    return made;
  };
  const { name, traits } = provider;
  return {
    calls,
    provider: {
      name,
      traits,
      tryAcquire: (...call) => through('acquire', provider.tryAcquire(...call)),
      renew: (...call) => through('renew', provider.renew(...call)),
      release: (claim) => through('release', provider.release(claim)),
      inspect: (key) => through('inspect', provider.inspect(key)),
      time: () => through('time', provider.time!()),
      register: (...call) => through(call[1] === undefined ? 'read' : 'change', provider.register!(...call)),
      close: () => provider.close(),
    },
  };
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
  const run = ['read', 'acquire', 'time', 'change', 'change', 'release'];
  // The first run of a job puts it into the list.
  expect(await cost(slot(0))).toEqual([...run.slice(0, 3), 'read', 'change', ...run.slice(3)]);
  await runtime.advance(60_000);
  expect(await cost(slot(1))).toEqual(run);
  expect([await cost(slot(1)), await cost(slot(0))]).toEqual([['read'], ['read']]);
  await runtime.advance(60_000);
  const other = watch(process().once('report', slot(2), () => pause(1_000)));
  await runtime.advance(500);
  expect(await cost(slot(2))).toEqual(['read', 'acquire']);
  await runtime.advance(60_000);
  expect(other.value).toMatchObject({ state: 'ran' });
  expect(await cost({ every: '1m' })).toEqual(['time', 'read', 'acquire', 'change', 'change', 'release']);
  expect(await cost({ every: '1m' })).toEqual(['time', 'read']);
});
