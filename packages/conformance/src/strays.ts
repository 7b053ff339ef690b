import { show } from './expect.ts';
import { turn } from './time.ts';

/** What nobody handles while a check runs: rejections that float, errors thrown into the event loop. */
export interface Strays {
  /** What was seen, once what is under way has shown. */
  seen(): Promise<readonly string[]>;
  /** Looks no more. */
  stop(): void;
}

type Collector = (what: string) => void;

/** One listener serves all runs of a process; there is none while no check runs. */
const collectors = new Set<Collector>();

const onRejection = (reason: unknown): void => collect(`the rejection ${show(reason)}`);
const onException = (error: unknown): void => collect(`the exception ${show(error)}`);

function collect(what: string): void {
  for (const collector of collectors) collector(what);
}

/** Looks from now on. Other listeners of the process hear of the same as ever; where there are none, the check stands in for them. */
export function watchStrays(): Strays {
  const seen: string[] = [];
  const collector: Collector = (what) => void seen.push(what);
  if (collectors.size === 0) {
    process.on('unhandledRejection', onRejection);
    process.on('uncaughtException', onException);
  }
  collectors.add(collector);
  return {
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
