import { setImmediate as globalImmediate } from 'node:timers';
import { LockError } from '@locks/core/adapter';
import type { Clock } from '@locks/core/adapter';
import type { About } from '../connections/connections.ts';
import type { TableCalls } from '../connections/table-calls.ts';
import type { Replacement, TextTable } from '../dialect/stores/text-table.ts';

/** Captured at the start: fake timers of a caller's test would delay writes. */
const setImmediate = globalImmediate;

/**
 * The most writes in one transaction. With more, the event loop is blocked for longer; with fewer,
 * calls on many keys wait for more commits.
 */
const largest = 64;

interface Pending {
  readonly replacement: Replacement;
  /** It may begin until then, in ms of the clock. */
  readonly until: number;
  readonly resolve: (replaced: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** For the text of a key. Registers have none. */
export function claimOf(stored: string): { readonly key: string } | undefined {
  return stored.startsWith('key:') ? { key: stored.slice('key:'.length) } : undefined;
}

/**
 * Makes the writes of a table, each within a time limit in ms, and those that are `first` before
 * others. Those that wait for a connection share a transaction if the table supports it, as most of
 * a write's cost is the commit.
 */
export function createReplace(
  table: TextTable,
  calls: TableCalls,
  clock: Clock,
): (replacement: Replacement, within: number, first?: boolean) => Promise<boolean> {
  const { replaceAll } = table;
  if (replaceAll === undefined) {
    return (replacement, within, first) =>
      calls.run((connection) => table.replace(connection, replacement), {
        what: 'a write',
        within,
        first,
        claim: claimOf(replacement.key),
      });
  }
  const holders: Pending[] = [];
  const waiting: Pending[] = [];
  let writing = false;
  const write = async (): Promise<void> => {
    let batch: readonly Pending[] = holders.splice(0, largest);
    batch = [...batch, ...waiting.splice(0, largest - batch.length)];
    const within = Math.max(1, Math.min(...batch.map(({ until }) => until)) - clock.now());
    const about: About = { what: 'a write', within };
    // It is repeated if the file was busy.
    const work = (connection: unknown): readonly boolean[] => {
      batch = inTime(batch, clock.now());
      return replaceAll(
        connection,
        batch.map(({ replacement }) => replacement),
      );
    };
    try {
      const replaced = calls.runNow(work, about) ?? (await calls.run(async (connection) => work(connection), about));
      for (const [index, { resolve }] of batch.entries()) resolve(replaced[index] === true);
    } catch (error) {
      for (const { replacement, reject } of batch) reject(ofClaim(error as LockError, claimOf(replacement.key)));
    }
    writing = false;
    if (holders.length + waiting.length > 0) begin();
  };
  /** Those of one turn of the event loop share a transaction. */
  const begin = (): void => {
    writing = true;
    setImmediate(() => void write());
  };
  return (replacement, within, first) =>
    new Promise<boolean>((resolve, reject) => {
      (first ? holders : waiting).push({ replacement, until: clock.now() + within, resolve, reject });
      if (!writing) begin();
    });
}

/** Those that are not too late. None is made after its caller got an error. */
function inTime(batch: readonly Pending[], now: number): readonly Pending[] {
  return batch.filter(({ replacement, until, reject }) => {
    if (now < until) return true;
    const claim = claimOf(replacement.key);
    reject(new LockError('LOCK_UNAVAILABLE', 'Other writes took too long.', { sent: false, ...claim }));
    return false;
  });
}

/** A shared error, as that of one claim. */
function ofClaim({ code, message, cause, sent }: LockError, claim: { readonly key: string } | undefined): LockError {
  return new LockError(code, message, { cause, sent, ...claim });
}
