import { outsideContext } from '../../time/outside-context.ts';
import type { Runtime, TimerHandle } from '../../time/runtime.ts';
import type { RecordStore } from './record-store.ts';

/** What a state of a key means to its watch. */
export interface ShownKey {
  /** A claim of this process waits. */
  readonly waits: boolean;
  /** It is the head of the queue. */
  readonly ours: boolean;
  /** The highest token of the key, raised by each grant. */
  readonly token: number;
}

/** Notices changes of one key while claims of this process wait for it. */
export interface KeyWatch {
  /** Whether it watches, or will. */
  readonly active: boolean;
  /** Call it after each state shown by a call or a look. */
  update(shown: ShownKey): void;
  close(): void;
}

/**
 * How long the subscription stays after the last waiter, in ms: such a key is usually waited for
 * again soon.
 */
const lingers = 1_000;
/** The pause after a lost or refused subscription, in ms. */
const retryAfter = 250;
/** While its head is of this process, a key is read this many times as often. */
const headFactor = 8;
/**
 * Beside a subscription it is read this many times less often. With a larger factor, the end of
 * another process is noticed later; with a smaller one, waiting claims cost more reads.
 */
const besideWatch = 3;
/**
 * A key that was granted long ago is read less often: after this part of that time. With a larger
 * one, a key held for long is found free later. With a smaller one, long waits cost more reads.
 */
const lateness = 1 / 20;
/** The longest interval between two reads, as a multiple of the usual one. */
const slowest = 10;

/** @param look Reads the key, then calls `update`, unless the store fails. */
export function createKeyWatch(
  key: string,
  store: RecordStore,
  runtime: Runtime,
  poll: number,
  look: () => void,
): KeyWatch {
  let waiting = false;
  let closed = false;
  let interval = poll;
  let token = 0;
  let grantedAt = 0;
  let timer: TimerHandle | undefined;
  let end: TimerHandle | undefined;
  let retry: TimerHandle | undefined;
  /** `undefined`: there is no subscription. */
  let current: { stop?: () => unknown } | undefined;

  const clear = (handle: TimerHandle | undefined): undefined => {
    if (handle !== undefined) runtime.clearTimer(handle);
    return undefined;
  };
  const pause = (): number =>
    Math.max(interval, Math.min((runtime.clock.now() - grantedAt) * lateness, poll * slowest));
  /** No signal reports that a process or a hold has ended. On one host a look costs little. */
  const relies = (): boolean => current?.stop !== undefined && store.ended === undefined;
  /** Looks at times, while no subscription can be relied on. */
  const rearm = (): void => {
    if (timer !== undefined || !waiting || relies()) return;
    timer = runtime.setTimer(
      () => {
        timer = undefined;
        look();
        rearm();
      },
      pause(),
      false,
    );
  };
  const unsubscribe = (): void => {
    const { stop } = current ?? {};
    current = undefined;
    end = clear(end);
    endWatch(stop);
  };
  const subscribe = (): void => {
    if (store.watch === undefined || current !== undefined || retry !== undefined) return;
    const own: { stop?: () => unknown } = {};
    current = own;
    const lost = (): void => {
      if (current !== own) return;
      unsubscribe();
      retry = runtime.setTimer(
        () => {
          retry = undefined;
          if (waiting) subscribe();
        },
        retryAfter,
        false,
      );
      rearm();
    };
    const opened = (stop: () => unknown): void => {
      if (current !== own) {
        endWatch(stop);
        return;
      }
      own.stop = stop;
      timer = clear(timer);
      rearm();
      // A change before the subscription was missed.
      look();
    };
    const heard = (): void => {
      if (current === own && waiting) look();
    };
    void outsideContext(async () => await store.watch?.(key, heard, lost)).then((stop) => stop && opened(stop), lost);
  };

  return {
    get active() {
      return waiting || current !== undefined;
    },
    update(shown) {
      // A look in progress ends after `close`.
      if (closed) return;
      const { waits, ours } = shown;
      const before = interval;
      if (!waiting || token !== shown.token) grantedAt = runtime.clock.now();
      token = shown.token;
      waiting = waits;
      const watched = current?.stop !== undefined;
      interval = watched ? poll * besideWatch : ours ? Math.max(1, poll / headFactor) : poll;
      // The next poll is due earlier than before.
      if (interval < before) timer = clear(timer);
      if (waits) {
        end = clear(end);
        subscribe();
        rearm();
        return;
      }
      timer = clear(timer);
      if (current !== undefined) end ??= runtime.setTimer(unsubscribe, lingers, false);
    },
    close() {
      closed = true;
      waiting = false;
      timer = clear(timer);
      retry = clear(retry);
      unsubscribe();
    },
  };
}

/** A subscription is useless then, so what `stop` throws or rejects with is dropped. */
function endWatch(stop: (() => unknown) | undefined): void {
  void (async () => await stop?.())().catch(() => {});
}
