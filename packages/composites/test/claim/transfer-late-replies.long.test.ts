import { expect, test } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider, Locks } from '../../../core/src/index.ts';
import { through } from '../../../core/test/support/through.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

const runtime = new VirtualRuntime({ seed: 2 });
const ttl = 1_600;
const trials = 200;

const later = (ms: number): Promise<void> => new Promise((resolve) => void runtime.setTimer(resolve, ms, false));

/** Mostly a few ms, and sometimes as much as a loaded machine takes. */
const onTheWay = (): Promise<void> =>
  later(runtime.random() < 0.1 ? 60 + 200 * runtime.random() : 8 * runtime.random());

/** `provider` over a connection, which keeps the order. Its replies take `delay` ms more. */
function remote(provider: LockProvider, delay: number): LockProvider {
  let sent: Promise<unknown> = Promise.resolve();
  let replied: Promise<unknown> = Promise.resolve();
  const over = async <T>(call: () => Promise<T>): Promise<T> => {
    const arrived = Promise.all([sent, onTheWay()]).then(call);
    sent = arrived.catch(() => {});
    await sent;
    replied = Promise.all([replied, later(delay), onTheWay()]);
    await replied;
    return await arrived;
  };
  return {
    ...through(provider, over),
    tryAcquire: (claim, wake) =>
      over(() => provider.tryAcquire(claim, wake && ((): void => void later(delay).then(() => wake())))),
  };
}

/** How many of three resumers won, and whether they were done before the ttl of the lease. */
async function transfer(): Promise<{ readonly won: number; readonly inTime: boolean }> {
  const stores = [0, 1, 2].map(() => createMemoryStore({ runtime }));
  const open = (): Locks => {
    const members = stores.map((store, index) => remote(createMemoryProvider({ store }), index === 0 ? 200 : 0));
    return createLocks(combine(members, { memberTimeout: 100, runtime }), { runtime, ttl });
  };
  const [giver, one, two] = [open(), open(), open()];
  const given = await giver.acquire('job');
  // A claim in the queue makes the first member of its process suspect, and of the others not.
  void two.acquire('job').catch(() => {});
  const start = runtime.time;
  const text = await given.transfer();
  const outcomes = await Promise.allSettled([one.resume(text), two.resume(text), one.resume(text)]);
  const won = outcomes.filter(({ status }) => status === 'fulfilled').length;
  return { won, inTime: runtime.time - start < ttl };
}

test('of several processes one resumes a lease, though replies of a member come late', async () => {
  const started = Array.from({ length: trials }, transfer);
  let ended = 0;
  const count = (): void => void (ended += 1);
  for (const trial of started) trial.then(count, count);
  for (let step = 0; step < 20_000 && ended < trials; step += 1) await runtime.advance(1);
  const done = (await Promise.allSettled(started)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  expect(done.length).toBeGreaterThan(trials / 2);
  expect(done.filter(({ won }) => won > 1)).toEqual([]);
  expect(done.filter(({ won, inTime }) => won < 1 && inTime)).toEqual([]);
});
