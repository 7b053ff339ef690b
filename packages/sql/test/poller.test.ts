import { Places } from '@locks/core/adapter';
import { createVirtualRuntime } from '@locks/core/testing';
import { describe, expect, test } from 'vitest';
import { Poller } from '../src/poller.ts';

function createPoller() {
  const runtime = createVirtualRuntime();
  const places = new Places(2_000);
  const looks: (readonly string[])[] = [];
  const answers: Promise<readonly string[]>[] = [];
  const poller = new Poller(
    places,
    runtime,
    () => 25,
    (keys) => {
      looks.push(keys);
      return answers.shift() ?? Promise.resolve([]);
    },
  );
  const wakes: string[] = [];
  const wait = (key: string, owner: string): void => {
    const place = places.take(key, owner, owner, () => wakes.push(owner));
    places.shown(place, 2_000, 0, 0);
  };
  return { runtime, places, looks, answers, poller, wakes, wait };
}

describe('the poller', () => {
  test('looks at all keys that somebody waits for at once, and wakes whose turn it is', async () => {
    const { runtime, looks, answers, poller, wakes, wait } = createPoller();
    wait('a', 'a1');
    wait('a', 'a2');
    wait('b', 'b1');
    answers.push(Promise.resolve(['b1']));
    poller.probe();
    poller.probe();
    await runtime.advance(25);
    expect(looks).toEqual([['a', 'b']]);
    expect(wakes).toEqual(['b1']);
    await runtime.advance(50);
    expect(looks).toHaveLength(3);
  });

  test('does nothing while nobody waits, and keeps no process alive', async () => {
    const { runtime, places, looks, poller, wait } = createPoller();
    poller.probe();
    expect(runtime.pendingTimers).toBe(0);
    wait('a', 'a1');
    poller.probe();
    expect([runtime.pendingTimers, runtime.keepAliveTimers]).toEqual([1, 0]);
    places.leave('a1');
    await runtime.advance(100);
    expect([looks.length, runtime.pendingTimers]).toEqual([0, 0]);
  });

  test('has one look under way at a time, and goes on after one that failed', async () => {
    const { runtime, looks, answers, poller, wakes, wait } = createPoller();
    wait('a', 'a1');
    let fail!: (reason: Error) => void;
    answers.push(new Promise((_, reject) => (fail = reject)), Promise.resolve(['a1']));
    poller.probe();
    await runtime.advance(100);
    poller.probe();
    await runtime.advance(100);
    expect(looks).toHaveLength(1);
    fail(new Error('no answer'));
    await runtime.advance(25);
    expect(looks).toHaveLength(2);
    expect(wakes).toEqual(['a1']);
  });

  test('pauses until it is asked again, and wakes nobody once it is closed', async () => {
    const { runtime, looks, answers, poller, wakes, wait } = createPoller();
    wait('a', 'a1');
    poller.probe();
    poller.pause();
    await runtime.advance(100);
    expect(looks).toHaveLength(0);
    answers.push(Promise.resolve(['a1']));
    poller.probe();
    await runtime.advance(24);
    let answer!: (owners: readonly string[]) => void;
    answers[0] = new Promise((resolve) => (answer = resolve));
    await runtime.advance(1);
    expect(looks).toHaveLength(1);
    poller.close();
    answer(['a1']);
    await runtime.advance(100);
    poller.probe();
    await runtime.advance(100);
    expect([looks.length, wakes.length, runtime.pendingTimers]).toEqual([1, 0, 0]);
  });
});
