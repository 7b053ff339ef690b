import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createKeyWatch } from '../../../src/adapter/record/key-watch.ts';
import type { ShownKey } from '../../../src/adapter/record/key-watch.ts';
import { systemRuntime } from '../../../src/time/runtime.ts';
import { createVirtualRuntime } from '../../../src/testing/index.ts';
import { mapStore } from './map-store.ts';

const shown = (waits: boolean, ours: boolean): ShownKey => ({ waits, ours, token: 1 });

/** A store whose subscriptions open when the test says so. */
function watched() {
  const opened: (() => void)[] = [];
  let open = 0;
  const store = mapStore(new Map(), {
    watch: () =>
      new Promise<() => void>((resolve) => {
        opened.push(() => {
          open += 1;
          resolve(() => void (open -= 1));
        });
      }),
  });
  return { store, opened, count: () => open };
}

test('a subscription that opens after the close is ended', async () => {
  const { store, opened, count } = watched();
  const watch = createKeyWatch('k', store, systemRuntime, 10_000, () => {});
  watch.update(shown(true, true));
  expect(opened).toHaveLength(1);
  watch.close();
  opened[0]?.();
  expect(count()).toBe(1);
  await vi.waitFor(() => expect(count()).toBe(0));
  // A look that was under way.
  watch.update(shown(true, true));
  expect(opened).toHaveLength(1);
  expect(watch.active).toBe(false);
});

test('an open subscription ends with the close', async () => {
  const { store, opened, count } = watched();
  const look = vi.fn<() => void>();
  const watch = createKeyWatch('k', store, systemRuntime, 10_000, look);
  watch.update(shown(true, false));
  opened[0]?.();
  await vi.waitFor(() => expect(look).toHaveBeenCalledOnce());
  watch.close();
  expect(count()).toBe(0);
});

test('a subscription that is refused is opened again, and the key is read meanwhile', async () => {
  const watch = vi.fn<() => Promise<() => void>>(() => Promise.reject(new Error('refused')));
  const look = vi.fn<() => void>();
  const key = createKeyWatch('k', mapStore(new Map(), { watch }), systemRuntime, 20, look);
  key.update(shown(true, false));
  await vi.waitFor(() => expect(watch.mock.calls.length).toBeGreaterThan(1), 5_000);
  expect(look).toHaveBeenCalled();
  key.close();
});

test('no read is due after the close, or when no claim waits', async () => {
  const look = vi.fn<() => void>();
  const polled = [true, false].map((closes) => {
    const watch = createKeyWatch('k', mapStore(new Map()), systemRuntime, 20, look);
    watch.update(shown(true, false));
    if (closes) watch.close();
    else watch.update(shown(false, false));
    return watch;
  });
  await sleep(100);
  expect(look).not.toHaveBeenCalled();
  for (const watch of polled) watch.close();
});

test('when the head of the queue becomes one of this process, the next read comes earlier', async () => {
  const look = vi.fn<() => void>();
  const watch = createKeyWatch('k', mapStore(new Map()), systemRuntime, 8_000, look);
  watch.update(shown(true, false));
  watch.update(shown(true, true));
  await vi.waitFor(() => expect(look).toHaveBeenCalledOnce(), 4_000);
  watch.close();
});

test.each([
  ['rejects', () => Promise.reject(new Error('gone'))],
  [
    'throws',
    () => {
      throw new Error('gone');
    },
  ],
])('a function that ends a subscription and %s does no harm', async (_what, stop) => {
  const unhandled = vi.fn<() => void>();
  process.on('unhandledRejection', unhandled);
  const look = vi.fn<() => void>();
  const store = mapStore(new Map(), { watch: async () => stop });
  const watch = createKeyWatch('k', store, systemRuntime, 10_000, look);
  watch.update(shown(true, false));
  await vi.waitFor(() => expect(look).toHaveBeenCalledOnce());
  watch.close();
  await sleep(20);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('a key that is held for long is read more and more rarely, until it is granted', async () => {
  const runtime = createVirtualRuntime();
  const look = vi.fn<() => void>();
  const watch = createKeyWatch('k', mapStore(new Map()), runtime, 100, look);
  const readsIn = async (ms: number): Promise<number> => {
    look.mockClear();
    for (let passed = 0; passed < ms; passed += 10) await runtime.advance(10);
    return look.mock.calls.length;
  };
  watch.update({ waits: true, ours: true, token: 1 });
  expect(await readsIn(250)).toBeGreaterThan(15);
  await readsIn(20_000);
  expect(await readsIn(10_000)).toBeLessThanOrEqual(11);
  watch.update({ waits: true, ours: true, token: 2 });
  expect(await readsIn(1_250)).toBeGreaterThan(15);
  watch.close();
});
