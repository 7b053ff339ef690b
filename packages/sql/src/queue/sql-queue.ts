import { Batches, largestBatch, LockError, createQueue } from '@locks/core/adapter';
import type { Attempt as Asked, Attempted, Deadline, Listen, Queue, Runtime } from '@locks/core/adapter';
import type { Claim, Grant } from '@locks/core';
import type { Connections } from '../connections/connections.ts';
import type { Attempt, LockStore, Turn } from '../dialect/stores/lock-store.ts';
import type { ReadSqlOptions } from '../options/provider-options.ts';
import { proveListening } from './prove-listening.ts';
import { wakeReports } from './wake-reports.ts';
import type { WakeReports } from './wake-reports.ts';

/**
 * The least number of polls during the lifetime of a position. The first in the queue loses its
 * position unless it tries within a sixth of that time after another one found it absent.
 */
const looksPerTtl = 12;

/** How often to poll for turns if the database does not notify, in ms. */
const usualInterval = 25;

export interface SqlQueueParts {
  /** The provider's, for messages. */
  readonly name: string;
  readonly store: LockStore;
  /** The token of an exclusive claim. `undefined`: an attempt must decide. */
  acquireFree(claim: Claim): Promise<bigint | undefined>;
  readonly connections: Connections<unknown>;
  readonly options: ReadSqlOptions;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/** The queue of one process, and the turns in its answers. */
export interface SqlQueue extends Omit<Queue, 'wake'> {
  /** Wakes the claims in `turns`, from the answer to a call sent at `sentAt`. */
  tell(turns: readonly Turn[], sentAt: number): void;
}

/** The queue of one process: attempts are statements, turns are notified or polled. */
export function createSqlQueue(parts: SqlQueueParts): SqlQueue {
  const { name, store, acquireFree, connections, options, deadline, runtime } = parts;
  const { process } = store;
  const { waiterTtl, pollInterval } = options;
  const report = wakeReports(name);
  const entries = createEntries(attemptAlone, parts);
  const queue = createQueue({
    runtime,
    deadline,
    waiterTtl,
    tryFree,
    attempt,
    together: entries && largestBatch,
    listen: listenOf(parts, report),
    look: {
      interval: () => Math.min(pollInterval ?? usualInterval, waiterTtl / looksPerTtl),
      get heardInterval() {
        const heard = store.listening?.lookInterval;
        return heard && Math.min(heard, waiterTtl / looksPerTtl);
      },
      turns: (keys) => connections.run((connection) => store.turns(connection, keys), { what: 'a read of the queue' }),
    },
    report,
  });

  /** One statement, for exclusive claims. */
  function tryFree(claim: Claim): Promise<Grant | undefined> | undefined {
    return claim.mode === 'exclusive' ? grantFree(claim) : undefined;
  }

  async function grantFree(claim: Claim): Promise<Grant | undefined> {
    const token = await acquireFree(claim);
    return token === undefined ? undefined : { granted: true, token };
  }

  async function attempt(asked: Asked): Promise<Attempted> {
    const { claim, others, repeated } = asked;
    const enters = others?.length === 0 && claim.mode === 'exclusive' && !repeated;
    const sentAt = runtime.clock.exact();
    const answer = await (enters && entries !== undefined ? entries(asked) : attemptAlone(asked));
    tell(answer.turns, sentAt);
    // The others have news, or have lost their positions.
    const told = new Set([...answer.turns.map(({ owner }) => owner), ...(answer.missing ?? [])]);
    const kept = others?.map(({ owner }) => owner).filter((owner) => !told.has(owner));
    if (answer.token !== undefined) return { granted: true, token: answer.token, kept };
    return { granted: false, retryAfter: answer.retryAfter, kept };
  }

  function attemptAlone({ claim, others, repeated, within }: Asked): Promise<Attempt> {
    const place = others && { process, others: others.map(({ owner }) => owner) };
    const about = { what: 'an acquire', claim, within } as const;
    return connections.run((connection) => store.attempt(connection, claim, place, repeated), about);
  }

  /** The database sends no message to the process that it answers. */
  function tell(turns: readonly Turn[], sentAt: number): void {
    for (const { process: its, owner, assigned } of turns) {
      if (its === process) queue.wake(owner, assigned && { ...assigned, sentAt });
      else store.wake?.(its);
    }
  }

  return { ...queue, tell };
}

/** The first attempts of a tick on one key are one statement, in their order. */
function createEntries(
  alone: (asked: Asked) => Promise<Attempt>,
  { store, connections }: SqlQueueParts,
): ((asked: Asked) => Promise<Attempt>) | undefined {
  const enterAll = store.enterAll?.bind(store);
  if (enterAll === undefined) return undefined;
  const batches = new Batches<Asked, Attempt>({
    fits: ({ claim }, [first]) =>
      first?.claim.key === claim.key && first.claim.ttl === claim.ttl && first.claim.floor === claim.floor,
    alone,
    async together(entries) {
      const claims = entries.map(({ claim }) => claim);
      const within = Math.min(...entries.map((asked) => asked.within));
      const about = { what: 'an acquire', claim: claims[0], within };
      const attempts = await connections.run((connection) => enterAll(connection, claims), about);
      return attempts.map((attempt) => (attempt instanceof LockError ? Promise.reject(attempt) : attempt));
    },
  });
  return (asked) => batches.call(asked);
}

function listenOf({ store, connections, runtime }: SqlQueueParts, report: WakeReports): Listen | undefined {
  const { listening } = store;
  if (listening === undefined) return undefined;
  const { listen, unheard } = listening;
  const echo = (): Promise<void> => connections.run((connection) => listening.echo(connection), { what: 'an echo' });
  return proveListening({ listen, unheard, echo, runtime, report });
}
