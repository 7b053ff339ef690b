import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Context } from '../context/context.ts';

/** Numbers by name. */
export type Counts = Readonly<Record<string, number>>;

/**
 * What may keep a process alive because of a provider; everything else belongs to the runner of the
 * suite.
 */
const kinds = ['Timeout', 'TCPSocketWrap', 'TLSWrap', 'UDPWRAP', 'StatWatcher'] as const;

/** Counts of what keeps this process alive now. */
export function activeResources(): Counts {
  const active = process.getActiveResourcesInfo();
  return Object.fromEntries(kinds.map((kind) => [kind, active.filter((name) => name === kind).length]));
}

/** How many listeners the events of this process have. */
export function processListeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
}

/**
 * Passes to `work` a counter of the timers that it has created and that have neither fired nor been
 * cleared, even if they do not keep the process alive.
 */
export async function countTimers(work: (made: () => number) => Promise<void>): Promise<void> {
  const own = new Set<number>();
  const maker = new AsyncLocalStorage<true>();
  const hook = createHook({
    init(id, type) {
      if (type === 'Timeout' && maker.getStore() === true) own.add(id);
    },
    destroy: (id) => void own.delete(id),
  });
  hook.enable();
  try {
    await maker.run(true, () => work(() => own.size));
  } finally {
    hook.disable();
  }
}

/** Fails unless the result of `count` returns to `before`. */
export async function mustNotGrow(
  context: Context,
  before: Counts,
  when: string,
  count: () => Counts = activeResources,
): Promise<void> {
  await context.eventually(
    `timers and connections as before (${JSON.stringify(before)}) ${when}`,
    // A timer that has fired is counted until the next turn.
    async () => {
      await new Promise(setImmediate);
      return count();
    },
    (after) => Object.entries(after).every(([kind, number]) => number <= (before[kind] ?? 0)),
  );
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
