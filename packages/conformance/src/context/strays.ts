import { AsyncLocalStorage } from 'node:async_hooks';
import { show } from '../checks/expect.ts';
import { turn } from '../checks/time.ts';

/**
 * Errors that go unhandled while a check runs: floating rejections, exceptions in the event loop.
 */
export interface Strays {
  /**
   * Runs `act`, so that what goes unhandled in it is known to be its own: other checks of this
   * process may run beside it.
   */
  during<T>(act: () => Promise<T>): Promise<T>;
  /** The errors seen so far, after a turn of the event loop in which late ones show. */
  seen(): Promise<readonly string[]>;
  /** Looks no more. */
  stop(): void;
}

type Collector = (what: string) => void;

/** One listener serves all runs of a process; there is none while no check runs. */
const collectors = new Set<Collector>();
const current = new AsyncLocalStorage<Collector>();

const onRejection = (reason: unknown): void => collect(`the rejection ${show(reason)}`);
const onException = (error: unknown): void => collect(`the exception ${show(error)}`);

function collect(what: string): void {
  const own = current.getStore();
  // Providers that share a client may reject outside of any check's context, or in that of a check
  // that has ended.
  if (own !== undefined && collectors.has(own)) own(what);
  else for (const collector of collectors) collector(what);
}

/**
 * Looks from now on. Other listeners of the process hear of the same as ever; where there are none,
 * the check stands in for them.
 */
export function watchStrays(): Strays {
  const seen: string[] = [];
  const collector: Collector = (what) => void seen.push(what);
  if (collectors.size === 0) {
    process.on('unhandledRejection', onRejection);
    process.on('uncaughtException', onException);
  }
  collectors.add(collector);
  return {
    during: (act) => current.run(collector, act),
    async seen() {
      // Node tells of a rejection after the microtasks of the turn in which it happened.
      await turn();
      return seen;
    },
    stop() {
      collectors.delete(collector);
      if (collectors.size > 0) return;
      process.off('unhandledRejection', onRejection);
      process.off('uncaughtException', onException);
    },
  };
}
