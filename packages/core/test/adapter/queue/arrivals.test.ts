import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../src/contract.ts';
import { QueueSetting, busy, claimOf, refresh, timeout } from '../../support/queue-setting.ts';

/** A queue that hears, whose attempts are answered by hand. */
async function hearing(together: number) {
  const setting = new QueueSetting({ together });
  await setting.acquire('warm', 'other');
  setting.attempted();
  const open = new Map<string, () => void>();
  setting.answer = ({ owner }) => new Promise((resolve) => open.set(owner, () => resolve(busy)));
  return {
    setting,
    /** First calls of one tick. */
    async come(...claims: readonly (string | Claim)[]): Promise<{ readonly calls: readonly Promise<unknown>[] }> {
      const calls = claims.map((claim) =>
        setting.queue.tryAcquire(typeof claim === 'string' ? claimOf(claim) : claim, () => {}),
      );
      await setting.runtime.advance(0);
      return { calls };
    },
    /** The attempts that are sent when that of `owner` is answered. */
    async answer(owner: string): Promise<readonly string[]> {
      open.get(owner)?.();
      await setting.runtime.advance(0);
      return setting.attempted();
    },
  };
}

const reader = (owner: string): Claim => ({ ...claimOf(owner), mode: 'shared' });
const permit = (owner: string): Claim => ({ ...reader(owner), permits: 2 });

describe('first calls on a key', () => {
  test('go one after the other, in their order', async () => {
    const { setting, come, answer } = await hearing(1);
    await come('a', 'b', 'c');
    expect(setting.attempted()).toEqual(['a']);
    expect(await answer('a')).toEqual(['b']);
    expect(await answer('b')).toEqual(['c']);
  });

  test('go together behind the first, as many as the backend orders, if they ask for the same', async () => {
    const { setting, come, answer } = await hearing(3);
    await come('a', 'b', 'c', 'd', 'e', { ...claimOf('long'), ttl: 60_000 }, 'f', permit('p'), permit('q'));
    expect(setting.attempted()).toEqual(['a']);
    expect(await answer('a')).toEqual(['b', 'c', 'd']);
    expect([...(await answer('c')), ...(await answer('b'))]).toEqual([]);
    expect(await answer('d')).toEqual(['e']);
    expect(await answer('e')).toEqual(['long']);
    expect(await answer('long')).toEqual(['f']);
    expect(await answer('f')).toEqual(['p']);
    expect(await answer('p')).toEqual(['q']);
  });

  test('all go at once behind the first where a connection keeps their order', async () => {
    const { setting, come, answer } = await hearing(Infinity);
    await come('a', 'b', permit('c'));
    expect(setting.attempted()).toEqual(['a']);
    expect(await answer('a')).toEqual(['b', 'c']);
    await come(permit('d'), 'e');
    expect(setting.attempted()).toEqual(['d', 'e']);
  });

  test('readers go beside each other, and wait for a writer before them', async () => {
    const { setting, come, answer } = await hearing(1);
    await come(reader('a'), reader('b'), 'c', reader('d'), reader('e'));
    expect(setting.attempted()).toEqual(['a', 'b']);
    expect(await answer('a')).toEqual([]);
    expect(await answer('b')).toEqual(['c']);
    expect(await answer('c')).toEqual(['d', 'e']);
  });

  test('on a key are not forgotten for calls on a thousand others', async () => {
    const { setting, come, answer } = await hearing(1);
    await come('a', 'b');
    const keys = Array.from({ length: 1_100 }, (_, index) => `k${index}`);
    await come(...keys.map((key) => claimOf(key, key)));
    expect(setting.attempted()).toEqual(['a', ...keys]);
    await Promise.all(keys.map((key) => answer(key)));
    await come(...keys.map((key) => claimOf(`${key} again`, `${key} again`)));
    expect(setting.attempted()).toHaveLength(keys.length);
    expect(await answer('a')).toEqual(['b']);
  });

  test('of other keys do not wait', async () => {
    const { setting, come } = await hearing(1);
    await come('a', claimOf('b', 'second'));
    expect(setting.attempted()).toEqual(['a', 'b']);
  });

  test('behind a silent one go on after half of the timeout, in their order', async () => {
    const { setting, come, answer } = await hearing(1);
    const { calls } = await come('silent', 'b', 'c');
    await setting.runtime.advance(timeout / 2 - 100);
    expect(setting.attempted()).toEqual(['silent']);
    await setting.runtime.advance(200);
    expect(setting.attempted()).toEqual(['b']);
    expect(await answer('b')).toEqual(['c']);
    await answer('silent');
    expect(await calls[0]).toEqual(busy);
  });

  test('whose time is over before they are sent leave nothing', async () => {
    const { setting, come, answer } = await hearing(1);
    const { calls } = await come('a', 'b', 'c', 'd');
    const late = calls[3]?.catch((error: unknown) => error);
    for (const owner of ['a', 'b', 'c']) {
      await setting.runtime.advance(timeout * 0.4);
      await answer(owner);
    }
    expect(await late).toMatchObject({ code: 'LOCK_UNAVAILABLE', sent: false });
    expect(setting.attempted()).toEqual([]);
  });

  test('in a burst make one attempt for a free key', async () => {
    const tried: string[] = [];
    const setting = new QueueSetting({ together: 1, tryFree: async ({ owner }) => void tried.push(owner) });
    const calls = ['a', 'b', 'c'].map((owner) => setting.acquire(owner));
    await setting.runtime.advance(1);
    await Promise.all(calls);
    expect(tried).toEqual(['a']);
    expect(setting.attempted()).toEqual(['a', 'b', 'c']);
  });
});

test.each([
  [32, 1],
  [Infinity, 2],
])('calls that show others go one at a time where %s go together, before first calls', async (together, atOnce) => {
  const { setting, come, answer } = await hearing(together);
  setting.answer = async () => busy;
  const owners = Array.from({ length: 150 }, (_, index) => `w${index}`);
  for (const owner of owners) await come(owner);
  setting.attempts.length = 0;
  await setting.runtime.advance(0.9 * refresh);
  const open: (() => void)[] = [];
  setting.answer = () => new Promise((resolve) => open.push(() => resolve(busy)));
  const due = owners.map((owner) => setting.acquire(owner));
  await come('new 1', 'new 2');
  const shown = (): readonly (number | undefined)[] => setting.attempts.splice(0).map(({ others }) => others?.length);
  const before = shown();
  expect(before.filter((count) => count !== 0)).toEqual([100, 48].slice(0, atOnce));
  open.shift()?.();
  await setting.runtime.advance(0);
  if (atOnce === 1) expect([before, shown()]).toEqual([[100], [48]]);
  for (let calls = 0; calls < 6; calls += 1) {
    for (const settle of open.splice(0)) settle();
    await answer('');
  }
  expect(await Promise.all(due)).toHaveLength(150);
});
