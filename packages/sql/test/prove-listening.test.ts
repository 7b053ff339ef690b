import { LockError, createDeadline, createQueue } from '@locks/core/adapter';
import type { Listener } from '@locks/core/adapter';
import { createVirtualRuntime } from '@locks/core/testing';
import { describe, expect, test } from 'vitest';
import { proveListening } from '../src/queue/prove-listening.ts';
import { wakeReports } from '../src/queue/wake-reports.ts';
import { wakeReports as wakeMessages } from './support/wake-reports.ts';

interface Opened {
  readonly hear: (owner: string) => void;
  readonly lose: (reason: unknown) => void;
  closed: boolean;
}

/** A queue with one waiter, whose listeners are in the hands of a test. */
async function createListening(echo?: () => Promise<void>) {
  const runtime = createVirtualRuntime({ random: 0 });
  const opened: Opened[] = [];
  const looks: (readonly string[])[] = [];
  const wakes: string[] = [];
  const { messages } = wakeMessages();
  const latest = (): Opened => {
    const last = opened.at(-1);
    if (last === undefined) throw new Error('no listener');
    return last;
  };
  const listen = async (hear: Opened['hear'], lose: Opened['lose']): Promise<Listener> => {
    const listener: Opened = { hear, lose, closed: false };
    opened.push(listener);
    return { probe: async () => {}, close: () => (listener.closed = true) };
  };
  const setting = { echo: echo ?? (async (): Promise<void> => latest().hear('')) };
  const report = wakeReports('test');
  const queue = createQueue({
    runtime,
    deadline: createDeadline(runtime, 1_000, 'Postgres'),
    waiterTtl: 6_000_000,
    attempt: async () => ({ granted: false, retryAfter: 2_000_000 }),
    listen: proveListening({ listen, unheard: 'a pooler', echo: () => setting.echo(), runtime, report }),
    look: {
      interval: () => 25,
      turns: async (keys) => {
        looks.push(keys);
        return [];
      },
    },
    report,
  });
  await queue.tryAcquire({ key: 'job', owner: 'me', ttl: 30_000, mode: 'exclusive' }, () => wakes.push('me'));
  await runtime.advance(1);
  wakes.length = 0;
  return { runtime, opened, looks, wakes, messages, queue, latest, setting };
}

describe('a process that listens', () => {
  test('hears its own message, does not look, and says so', async () => {
    const { runtime, looks, latest, wakes, messages } = await createListening();
    await runtime.advance(5_000);
    latest().hear('me');
    latest().hear('a stranger');
    expect([looks, wakes]).toEqual([[], ['me']]);
    expect(messages).toEqual([{ provider: 'test', state: 'listening', reason: undefined }]);
  });

  test('stops looking when it hears anything at all', async () => {
    const { runtime, opened, looks, latest, wakes } = await createListening(async () => {});
    latest().hear('me');
    await runtime.advance(5_000);
    expect([opened.length, looks, wakes]).toEqual([1, [], ['me']]);
  });

  test('hears a later message of its own when the first ones came too early', async () => {
    let sent = 0;
    const { runtime, opened, looks, latest, messages, setting } = await createListening(async () => {});
    setting.echo = async () => {
      sent += 1;
      if (sent === 3) latest().hear('');
    };
    await runtime.advance(1_000);
    const { length } = looks;
    await runtime.advance(5_000);
    expect([sent, opened.length, looks.length]).toEqual([3, 1, length]);
    expect(messages).toEqual([{ provider: 'test', state: 'listening', reason: undefined }]);
  });

  test('gives a listener up that does not hear a message of its own, looks from the start, and tries another a minute later', async () => {
    const { runtime, opened, looks, latest, messages, setting } = await createListening(async () => {});
    await runtime.advance(30);
    expect([looks.length, opened[0]?.closed]).toEqual([1, false]);
    await runtime.advance(1_000);
    expect(opened[0]?.closed).toBe(true);
    expect(messages).toMatchObject([
      { state: 'polling', reason: { message: expect.stringMatching('pooler') as string } },
    ]);
    await runtime.advance(58_000);
    expect(opened).toHaveLength(1);
    expect(looks.length).toBeGreaterThan(2_000);
    setting.echo = async () => latest().hear('');
    // At the next try after the minute.
    await runtime.advance(7_000);
    expect([opened.length, latest().closed, messages.length]).toEqual([2, false, 2]);
    const { length } = looks;
    await runtime.advance(1_000);
    expect(looks).toHaveLength(length);
  });

  test('keeps its listener when the message could not be sent, repeats it after pauses that double, and looks until then', async () => {
    let sent = 0;
    const { runtime, opened, looks, latest, messages, setting } = await createListening(async () => {
      sent += 1;
      throw new Error('no connection');
    });
    await runtime.advance(5_000);
    expect([opened.length, latest().closed, sent]).toEqual([1, false, 7]);
    expect(looks.length).toBeGreaterThan(100);
    setting.echo = async () => latest().hear('');
    await runtime.advance(5_000);
    const { length } = looks;
    await runtime.advance(1_000);
    expect([opened.length, looks.length]).toEqual([1, length]);
    expect(messages).toMatchObject([
      { state: 'polling', reason: { message: 'no connection' } },
      { state: 'listening' },
    ]);
  });

  test('sends nothing once it is closed', async () => {
    let sent = 0;
    const { runtime, queue, latest } = await createListening(async () => {
      sent += 1;
      throw new Error('no connection');
    });
    queue.close(new LockError('LOCK_CLOSED', 'closed'));
    await runtime.advance(60_000);
    expect([sent, latest().closed, runtime.pendingTimers]).toEqual([1, true, 0]);
  });
});
