import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { Replacement, TextListening, TextTable, TextTableOptions } from '../dialect/stores/text-table.ts';
import { checkConnection } from './check-connection.ts';
import { textOf } from './connection/connection.ts';
import type { Database } from './connection/connection.ts';
import { Session } from './session.ts';
import { explain } from './connection/errors.ts';
import { hostTime } from './host/clock.ts';
import { hasEnded, processName } from './host/process.ts';
import { successor } from './prefix.ts';
import { touchWakeFile } from './wakes/wake-file.ts';
import { watchWakeFile } from './wakes/watch-wake-file.ts';

/** The time of the host, in ms. */
const now = (): number => hostTime() / 1_000;

/**
 * Texts in a SQLite file, for the processes of one host. All access is synchronous: no transaction
 * is open while other code runs.
 */
export function createTextTable(client: SqlClient, { names, listen, runtime }: TextTableOptions): TextTable<Database> {
  const process = processName(runtime.uniqueId());
  /** Weak: the collector closes a connection that its pool has dropped. */
  const sessions = new WeakMap<Database, Session>();
  /** As a connection reports it, else as the pool is configured. */
  let path = pathOf(client);
  // Known since the first connection, which a claim uses before it waits.
  const file = (): string => path ?? '';
  const sessionOf = (connection: Database): Session => {
    const session = sessions.get(connection);
    if (session === undefined) throw new Error('A connection was used before it was checked.');
    return session;
  };
  const replaceAll = (session: Session, replacements: readonly Replacement[]): readonly boolean[] => {
    const replaced = session.write(() => replacements.map((replacement) => replaceOne(session, replacement)));
    for (const [index, { wakes }] of replacements.entries())
      if (replaced[index] === true) for (const other of wakes) wake(file(), other);
    return replaced;
  };
  const listening: TextListening<Database> = {
    listen: async (heard, lost) => watchWakeFile(file(), process, heard, lost),
    echo: async () => touchWakeFile(file(), process),
    unheard: 'the file system does not report changes of files; set option "listen" to false',
    async versions(connection, keys) {
      const session = sessionOf(connection);
      const rows = session.read(() => session.rows('versions', { keys: JSON.stringify(keys) }));
      return new Map(rows.map((row) => [textOf(row['key']), textOf(row['version'])]));
    },
  };
  return {
    process,
    ended: hasEnded,
    async checkConnection(connection) {
      const session = new Session(connection, names);
      sessions.set(connection, session);
      ({ path } = session);
      checkConnection(session, names);
    },
    async read(connection, key) {
      const session = sessionOf(connection);
      const readAt = now();
      const row = session.read(() => session.row('read', { key }));
      return row === undefined
        ? { now: readAt }
        : { version: textOf(row['version']), record: textOf(row['record']), now: readAt };
    },
    async replace(connection, replacement) {
      return replaceAll(sessionOf(connection), [replacement])[0] === true;
    },
    replaceAll: (connection, replacements) => replaceAll(sessionOf(connection), replacements),
    async list(connection, prefix, after, limit) {
      const session = sessionOf(connection);
      const range = { from: prefix, after: after ?? null, before: successor(prefix) ?? null, limit };
      const keys = session.read(() => session.rows('list', range)).map((row) => textOf(row['key']));
      return { keys, next: keys.length < limit ? undefined : keys.at(-1) };
    },
    listening: listen ? listening : undefined,
    /** The processes of one host share one wall clock. */
    async time() {
      return Math.floor(runtime.clock.origin + runtime.clock.now());
    },
    async sweep(connection, retention, limit, after) {
      const session = sessionOf(connection);
      const last = session.read(() => session.row('sweepStretch', { after, length: limit - 1 }));
      const to = last === undefined ? undefined : textOf(last['key']);
      const removed = sweepStretch(session, { after, to: to ?? null, before: now() - retention });
      // The process has done nothing else, and the next step may follow immediately.
      await setImmediate();
      return { removed, next: to };
    },
    explain: (error, what, claim) => explain(error, path, what, claim),
  };
}

function replaceOne(session: Session, { key, seen, next }: Replacement): boolean {
  const { version, record, keepFor = null } = next;
  const written = now();
  const changed =
    seen === undefined
      ? session.run('insert', { key, version, record, written, keepFor })
      : session.run('update', { key, version, record, written, keepFor, seen });
  return changed > 0;
}

function wake(file: string, process: string): void {
  try {
    touchWakeFile(file, process);
  } catch {
    // That process polls, has ended, or is of another user whose files cannot be written.
  }
}

/** Removes the removable texts of one range, and returns their number. */
function sweepStretch(
  session: Session,
  stretch: { readonly after: string; readonly to: string | null; readonly before: number },
): number {
  if (session.read(() => session.row('sweepable', stretch)) === undefined) return 0;
  return session.write(() => session.run('sweep', stretch));
}

/** The configured file of the pool of `client`. */
export function pathOf({ file }: SqlClient): string | undefined {
  return file === undefined ? undefined : resolve(file);
}
