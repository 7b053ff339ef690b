import type { Listen, Runtime, TimerHandle } from '@locks/core/adapter';
import type { StoreListening } from '../dialect/stores/lock-store.ts';
import type { WakeReports } from './wake-reports.ts';

/** The first pause before a message is sent again, in ms. It doubles up to the longest. */
const firstRetry = 50;
const longestRetry = 5_000;
/**
 * A listener that has received none of its own messages after this time, in ms, is considered deaf.
 */
const echoPatience = 1_000;
/**
 * In ms: how long no other listener is opened then. Poolers between a process and its database
 * change rarely, so a shorter time costs useless connections.
 */
const unheardRetry = 60_000;

export interface ProveListeningParts extends Pick<StoreListening, 'listen' | 'unheard'> {
  /** Sends a message about the owner '' to the listener of this process. */
  readonly echo: () => Promise<unknown>;
  readonly runtime: Runtime;
  readonly report: WakeReports;
}

/**
 * Listens, and proves it by a message to itself. Behind a pooler a listener may receive nothing: it
 * counts as lost then.
 */
export function proveListening({ listen, unheard, echo, runtime, report }: ProveListeningParts): Listen {
  const nothingHeard = (): Error => new Error(`a message to itself was not received: ${unheard}`);
  let unheardUntil = -Infinity;
  return async (heard, lost, signal) => {
    if (runtime.clock.now() < unheardUntil) throw nothingHeard();
    let timer: TimerHandle | undefined;
    let tries = 0;
    let hears = false;
    let until = Infinity;
    const listener = await listen((owner, assigned) => {
      hears = true;
      heard(owner === '' ? undefined : owner, assigned);
    }, lost);
    const over = (): boolean => hears || signal.aborted;
    const ask = async (): Promise<void> => {
      if (over()) return;
      if (runtime.clock.now() >= until) return giveUp();
      try {
        await echo();
        until = Math.min(until, runtime.clock.now() + echoPatience);
      } catch (error) {
        // A failed send proves nothing about the listener.
        until = Infinity;
        if (!over()) report('polling', error);
      }
      // MariaDB loses a message that arrives before the session waits.
      const pause = Math.min(firstRetry * 2 ** tries++, longestRetry, until - runtime.clock.now());
      if (!over()) timer = runtime.setTimer(() => void ask(), pause, false);
    };
    const giveUp = (): void => {
      unheardUntil = runtime.clock.now() + unheardRetry;
      lost(nothingHeard());
    };
    void ask();
    return {
      probe: () => listener.probe(),
      close() {
        if (timer !== undefined) runtime.clearTimer(timer);
        listener.close();
      },
    };
  };
}
