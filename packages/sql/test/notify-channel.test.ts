import { LockError, Places, createDeadline } from '@locks/core/adapter';
import { createVirtualRuntime } from '@locks/core/testing';
import { describe, expect, test } from 'vitest';
import type { Listener } from '../src/dialect/lock-store.ts';
import { NotifyChannel } from '../src/notify-channel.ts';
import { Poller } from '../src/poller.ts';
import { WakeReports } from '../src/wake-reports.ts';

interface Opened {
  readonly hear: (owner: string) => void;
  readonly lose: () => void;
  closed: boolean;
}

/** A channel whose listeners a test holds in its hands, with one waiter. */
function createChannel() {
  const runtime = createVirtualRuntime({ random: 0 });
  const places = new Places(2_000);
  const looks: (readonly string[])[] = [];
  const poller = new Poller(
    places,
    runtime,
    () => 25,
    async (keys) => {
      looks.push(keys);
      return [];
    },
  );
  const opened: Opened[] = [];
  const refusals: Error[] = [];
  let probed = 0;
  let answer = (): Promise<void> => Promise.resolve();
  const listen = async (hear: (owner: string) => void, lose: () => void): Promise<Listener> => {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
    const listener: Opened = { hear, lose, closed: false };
    opened.push(listener);
    return {
      probe: () => {
        probed += 1;
        return answer();
      },
      close: () => (listener.closed = true),
    };
  };
  const deadline = createDeadline(runtime, 1_000, 'Postgres');
  let echo = async (): Promise<void> => latest(opened).hear('');
  const channel = new NotifyChannel({
    listen,
    echo: () => echo(),
    places,
    poller,
    deadline,
    runtime,
    probeEvery: 2_000,
    reports: new WakeReports('test'),
  });
  const wakes: string[] = [];
  const place = places.take('key', 'me', 'me', () => wakes.push('me'));
  places.shown(place, 2_000, 0, 0);
  return {
    runtime,
    places,
    looks,
    opened,
    refusals,
    channel,
    wakes,
    probes: () => probed,
    echoes: (now: () => Promise<void>) => (echo = now),
    never: () => (answer = () => new Promise(() => {})),
  };
}

function latest(opened: readonly Opened[]): Opened {
  const last = opened.at(-1);
  if (last === undefined) throw new Error('nobody listens');
  return last;
}

describe('the notify channel', () => {
  test('listens once, wakes everybody then, and whoever it hears of', async () => {
    const { opened, channel, wakes, looks, runtime } = createChannel();
    await Promise.all([channel.start(), channel.start()]);
    await channel.start();
    expect([opened.length, channel.open]).toEqual([1, true]);
    expect(wakes).toEqual(['me']);
    latest(opened).hear('me');
    latest(opened).hear('somebody else');
    expect(wakes).toEqual(['me', 'me']);
    await runtime.advance(1_000);
    expect(looks).toEqual([]);
  });

  test('has a poller look when no listener can be had, and stops it when one can', async () => {
    const { runtime, opened, refusals, channel, looks, wakes } = createChannel();
    refusals.push(new Error('refused'));
    await channel.start();
    expect(channel.open).toBe(false);
    await runtime.advance(25);
    expect(looks).toHaveLength(1);
    await runtime.advance(26);
    expect([opened.length, channel.open, wakes]).toEqual([1, true, ['me']]);
    const { length } = looks;
    await runtime.advance(1_000);
    expect(looks).toHaveLength(length);
  });

  test('listens again after its listener was lost; until then a poller looks', async () => {
    const { runtime, opened, channel, looks, wakes } = createChannel();
    await channel.start();
    latest(opened).lose();
    expect([channel.open, opened[0]?.closed]).toEqual([false, true]);
    await runtime.advance(49);
    expect(looks.length).toBeGreaterThan(0);
    channel.probe();
    expect(opened).toHaveLength(1);
    await runtime.advance(2);
    expect([opened.length, channel.open, wakes]).toEqual([2, true, ['me', 'me']]);
  });

  test('opens no other listener while nobody waits, and at once when somebody does', async () => {
    const { runtime, places, opened, channel } = createChannel();
    await channel.start();
    places.leave('me');
    latest(opened).lose();
    await runtime.advance(10_000);
    expect([opened.length, runtime.pendingTimers]).toEqual([1, 0]);
    await channel.start();
    expect(opened).toHaveLength(2);
  });

  test('asks a listener that was silent, and gives it up when it does not answer', async () => {
    const { runtime, opened, channel, probes, never } = createChannel();
    await channel.start();
    channel.probe();
    await runtime.advance(2_000);
    channel.probe();
    await runtime.advance(1);
    channel.probe();
    expect([probes(), channel.open]).toEqual([1, true]);
    never();
    await runtime.advance(2_000);
    channel.probe();
    await runtime.advance(1_040);
    expect([probes(), channel.open, opened[0]?.closed]).toEqual([2, false, true]);
  });

  test('gives a listener up that does not hear a message of its own, looks from the start, and tries another a minute later', async () => {
    const { runtime, opened, channel, looks, echoes } = createChannel();
    echoes(async () => {});
    await channel.start();
    await runtime.advance(30);
    expect([looks.length, channel.open]).toEqual([1, true]);
    await runtime.advance(1_000);
    expect([opened[0]?.closed, channel.open]).toEqual([true, false]);
    await runtime.advance(58_000);
    expect(opened).toHaveLength(1);
    expect(looks.length).toBeGreaterThan(2_000);
    echoes(async () => latest(opened).hear(''));
    await runtime.advance(2_000);
    expect([opened.length, channel.open]).toEqual([2, true]);
    const { length } = looks;
    await runtime.advance(1_000);
    expect(looks).toHaveLength(length);
  });

  test('stops looking when it hears anything at all', async () => {
    const { runtime, opened, channel, looks, wakes, echoes } = createChannel();
    echoes(async () => {});
    await channel.start();
    latest(opened).hear('me');
    await runtime.advance(5_000);
    expect([looks, wakes, channel.open]).toEqual([[], ['me', 'me'], true]);
  });

  test('keeps its listener when the message could not be sent, repeats it after pauses that double, and looks until then', async () => {
    const { runtime, opened, channel, echoes, looks } = createChannel();
    let sent = 0;
    echoes(async () => {
      sent += 1;
      throw new Error('no connection');
    });
    await channel.start();
    await runtime.advance(5_000);
    expect([opened.length, opened[0]?.closed, channel.open, sent]).toEqual([1, false, true, 7]);
    expect(looks.length).toBeGreaterThan(100);
    echoes(async () => latest(opened).hear(''));
    await runtime.advance(5_000);
    const { length } = looks;
    await runtime.advance(1_000);
    expect([opened.length, looks.length]).toEqual([1, length]);
  });

  test('ends its listener when it is closed, and one that comes later', async () => {
    const { opened, channel } = createChannel();
    const starting = channel.start();
    const reason = new LockError('LOCK_CLOSED', 'closed');
    channel.close(reason);
    await expect(starting).rejects.toBe(reason);
    await expect(channel.start()).rejects.toBe(reason);
    expect([opened.length, opened[0]?.closed]).toEqual([1, true]);
  });
});
