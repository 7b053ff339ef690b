import type { Listen, Runtime, TimerHandle } from '@locks/core/adapter';
import type { StoreListening } from '../dialect/stores/lock-store.ts';
import type { WakeReports } from './wake-reports.ts';

/** The pause before a message is sent again, in ms. It doubles to the longest. */
const firstRetry = 50;
const longestRetry = 5_000;
/** A listener that has heard none of its own messages after this time, in ms, never hears one. */
const echoPatience = 1_000;
/**
 * How long no other listener is opened after that, in ms. Poolers between a process and its
 * database change seldom, so a shorter time costs connections that hear nothing.
 */
const unheardRetry = 60_000;

export interface ProveListeningParts extends Pick<StoreListening, 'listen' | 'unheard'> {
  /** Sends a message about the owner '' to the listener of this process. */
  readonly echo: () => Promise<unknown>;
  readonly runtime: Runtime;
  readonly report: WakeReports;
}

/**
 * Listens, and has the listener hear a message of its own. Behind a pooler a listener may hear
 * nothing: it is lost then.
 */
export function proveListening({ listen, unheard, echo, runtime, report }: ProveListeningParts): Listen {
  const nothingHeard = (): Error => new Error(`a message to itself was not heard: ${unheard}`);
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
        // What could not be sent says nothing about the listener.
        until = Infinity;
        if (!over()) report('polling', error);
      }
      // On MariaDB a message is lost that comes before the session waits in the server.
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
