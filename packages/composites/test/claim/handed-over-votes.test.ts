import { expect, test } from 'vitest';
import type { Lease, LockProvider } from '../../../core/src/index.ts';
import { restartingQuorum, within as settledWithin } from '../support/restarting-server.ts';
import { through } from '../../../core/test/support/through.ts';

const ttl = 15_000;

/** A lease that was resumed in another process while the first member did not answer that. */
async function resumed() {
  const { runtime, open, holders } = restartingQuorum(ttl);
  let isSilent = true;
  const within = <T>(promise: Promise<T>): Promise<T> => settledWithin(runtime, promise);
  const text = await within((await within(open().acquire('job'))).transfer());
  const cut = (member: LockProvider, index: number): LockProvider =>
    index > 0
      ? member
      : through(member, async (call) => {
          if (isSilent) throw new Error('no answer');
          return await call();
        });
  const lease: Lease = await within(open(cut).resume(text));
  const votes = async (): Promise<number> => (await holders()).flat().length;
  const answer = (): void => void (isSilent = false);
  return { runtime, lease, within, answer, votes, other: open() };
}

/** How long another process waits for the key after the release of `lease`, in ms. */
async function nextAfterRelease({
  runtime,
  lease,
  within,
  other,
}: Awaited<ReturnType<typeof resumed>>): Promise<number> {
  const start = runtime.time;
  expect(await within(lease.release())).toBe(true);
  await within(other.acquire('job', { wait: 60_000 }));
  return runtime.time - start;
}

test('a vote that the process before left where a member did not answer is freed with a renewal', async () => {
  const setting = await resumed();
  setting.answer();
  await setting.within(setting.lease.renew());
  await setting.within(setting.lease.renew());
  await setting.runtime.advance(10);
  expect(await setting.votes()).toBe(3);
  expect(await nextAfterRelease(setting)).toBeLessThan(50);
});

test('a vote that the process before left is freed with the release, as soon as its member answers', async () => {
  const setting = await resumed();
  setting.runtime.setTimer(setting.answer, 1_500, false);
  expect(await nextAfterRelease(setting)).toBeLessThan(3_000);
});
