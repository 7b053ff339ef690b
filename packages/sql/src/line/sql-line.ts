import { createLine } from '@locks/core/adapter';
import type { Deadline, Line, Listen, Runtime, Waiting } from '@locks/core/adapter';
import type { Busy, Claim, Grant } from '@locks/core';
import type { Connections } from '../connections/connections.ts';
import type { Attempt, LockStore, Turn } from '../dialect/stores/lock-store.ts';
import type { ReadSqlOptions } from '../options/provider-options.ts';
import { Arrivals } from './arrivals.ts';
import { Entries } from './entries.ts';
import type { EntryCalls } from './entries.ts';
import { proveListening } from './prove-listening.ts';
import { WakeReports } from './wake-reports.ts';

/**
 * How many looks a process makes in the time that a place lasts, at least. The first in line loses
 * its place if it does not come within a sixth of that time after another one found it absent.
 */
const looksPerTtl = 12;

/** What a line in a database is made of. */
export interface SqlLineParts {
  /** The provider's, for messages. */
  readonly name: string;
  readonly store: LockStore;
  /** The token of an exclusive claim. `undefined`: an attempt must decide. */
  acquireFree(claim: Claim): Promise<bigint | undefined>;
  readonly connections: Connections<unknown>;
  readonly options: ReadSqlOptions;
  /** What the tables call this process. */
  readonly process: string;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

/** The line of one process, and what answers tell of it. */
export interface SqlLine extends Pick<Line, 'tryAcquire' | 'waitsFor' | 'close'> {
  /**
   * Forgets a claim: the first step of its release. Returns whether it waited: what it was given in
   * line was not granted to it yet.
   */
  leave(claim: Claim): boolean;
  /** Wakes the claims whose turn it is, as a call that was sent at `sentAt` was told. */
  tell(turns: readonly Turn[], sentAt: number): void;
}

/** The line of one process: attempts are statements, turns are told or looked for. */
export function createSqlLine(parts: SqlLineParts): SqlLine {
  const { name, store, acquireFree, connections, options, process, deadline, runtime } = parts;
  const { waiterTtl, pollInterval } = options;
  const reports = new WakeReports(name);
  const entries = createEntries();
  const arrivals = new Arrivals(deadline);
  const line = createLine({
    runtime,
    deadline,
    waiterTtl,
    tryFree,
    attempt,
    listen: listenOf(parts, reports),
    look: {
      interval: () => Math.min(pollInterval ?? store.pollInterval, waiterTtl / looksPerTtl),
      get heardInterval() {
        const heard = store.listening?.lookInterval;
        return heard && Math.min(heard, waiterTtl / looksPerTtl);
      },
      turns: (keys) => connections.run((connection) => store.turns(connection, keys), { what: 'a look at the line' }),
    },
    report: (state, reason) => reports.tell(state, reason),
  });

  /** One statement, for exclusive claims. */
  function tryFree(claim: Claim): Promise<Grant | undefined> | undefined {
    if (isReader(claim)) return undefined;
    return arrivals.arrive(claim, claim.mode === 'exclusive' ? () => grantFree(claim) : undefined);
  }

  async function tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    try {
      return await line.tryAcquire(claim, wake);
    } finally {
      arrivals.pass(claim);
    }
  }

  async function grantFree(claim: Claim): Promise<Grant | undefined> {
    const token = await acquireFree(claim);
    return token === undefined ? undefined : { granted: true, token };
  }

  async function attempt(claim: Claim, others?: readonly Claim[], within?: number): Promise<Grant | Waiting> {
    const first = others !== undefined && !line.isRepeated(claim.owner) && !isReader(claim);
    const inTurn = entries !== undefined && (first || (others?.length ?? 0) > 0);
    const sentAt = runtime.clock.exact();
    const answer = await (inTurn ? entries.enter(claim, others ?? [], within) : attemptAlone(claim, others, within));
    tell(answer.turns, sentAt);
    if (answer.token !== undefined) return { granted: true, token: answer.token };
    return { granted: false, retryAfter: answer.retryAfter };
  }

  function attemptAlone(claim: Claim, others?: readonly Claim[], within?: number): Promise<Attempt> {
    const place = others && { process, others: others.map(({ owner }) => owner) };
    const about = { what: 'an acquire', claim, within } as const;
    const repeated = line.isRepeated(claim.owner);
    return connections.run((connection) => store.attempt(connection, claim, place, repeated), about);
  }

  function createEntries(): Entries | undefined {
    const enterAll = store.enterAll?.bind(store);
    if (enterAll === undefined) return undefined;
    const calls: EntryCalls = {
      alone: attemptAlone,
      together: (claims, limit) =>
        connections.run((connection) => enterAll(connection, claims), {
          what: 'an acquire',
          claim: claims[0],
          within: limit,
        }),
    };
    return new Entries(calls, deadline.timeout, runtime.clock);
  }

  /** The database sends no message to the process that it answers. */
  function tell(turns: readonly Turn[], sentAt: number): void {
    for (const { process: its, owner, assigned } of turns) {
      if (its === process) line.wake(owner, assigned && { ...assigned, sentAt });
      else store.wake?.(its);
    }
  }

  return {
    tryAcquire,
    waitsFor: (key) => line.waitsFor(key),
    leave(claim) {
      arrivals.leave(claim);
      entries?.leave(claim);
      return line.leave(claim.owner);
    },
    close(reason) {
      line.close(reason);
    },
    tell,
  };
}

/** Readers do not keep each other out, so their order means nothing. */
function isReader({ mode, permits }: Claim): boolean {
  return mode === 'shared' && permits === undefined;
}

function listenOf({ store, connections, runtime }: SqlLineParts, reports: WakeReports): Listen | undefined {
  const { listening } = store;
  if (listening === undefined) return undefined;
  const { listen, unheard } = listening;
  const echo = (): Promise<void> => connections.run((connection) => listening.echo(connection), { what: 'an echo' });
  return proveListening({ listen, unheard, echo, runtime, reports });
}
