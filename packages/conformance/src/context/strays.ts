import { AsyncLocalStorage } from 'node:async_hooks';
import { show } from '../checks/expect.ts';
import { turn } from '../checks/time.ts';

/** Unhandled errors during a check: floating rejections, exceptions in the event loop. */
export interface Strays {
  /**
   * Runs `act`, so that its unhandled errors are attributed to it: other checks of this process may
   * run simultaneously.
   */
  during<T>(act: () => Promise<T>): Promise<T>;
  /** The errors so far, after a turn of the event loop in which late ones show. */
  seen(): Promise<readonly string[]>;
  stop(): void;
}

type Collector = (what: string) => void;

/** One listener serves all runs of a process; none is registered while no check runs. */
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
 * Starts watching. Other listeners of the process are called as usual; without any, the check
 * replaces them.
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
      // Node reports a rejection after the microtasks of its turn.
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
