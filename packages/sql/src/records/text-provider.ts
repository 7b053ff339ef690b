import { createRecordProvider } from '@locks/core/adapter';
import type { ReadRecord, RecordStore } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { TableCalls } from '../connections/table-calls.ts';
import type { TableCallsParts } from '../connections/table-calls.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { Sweeper } from '../sweep/sweeper.ts';
import { claimOf, createReplace } from './replacements.ts';
import type { TextTable } from '../dialect/stores/text-table.ts';
import { createWakes } from './wakes.ts';

export interface TextProviderParts extends TableCallsParts {
  readonly dialect: Dialect;
  readonly store: TextTable;
}

/** A provider that can be asked to connect before its first call. */
export interface ConnectingProvider extends LockProvider {
  /** Resolves when the database answers, and has the tables. The caller sets the limit. */
  connect(): Promise<void>;
}

/**
 * The part of the timeout that a statement gets. With all of it the engine would give the call up
 * first, without knowing why, or whether the statement was sent.
 */
const patience = 7 / 8;

/** Locks in a table of texts: core's engine decides, and the table compares versions. */
export function createTextProvider(parts: TextProviderParts): ConnectingProvider {
  const { dialect, store: table, options, runtime } = parts;
  const { waiterTtl, timeout, pollInterval: poll, tokenRetention } = options;
  const calls = new TableCalls(parts);
  const within = Math.ceil(timeout * patience);
  const sweeper = options.sweep ? new Sweeper(runtime, tokenRetention, (after) => calls.sweep(after)) : undefined;
  const replace = createReplace(table, calls, runtime.clock);
  const { listening } = table;
  const wakes = listening && createWakes({ name: dialect.name, listening, calls, runtime });
  const read = (key: string, first: boolean): Promise<ReadRecord> =>
    calls.run((connection) => table.read(connection, key), { what: 'a read', claim: claimOf(key), within, first });
  const store: RecordStore = {
    name: dialect.name,
    scope: dialect.scope,
    process: table.process,
    ...(table.ended && { ended: table.ended }),
    read: (key) => read(key, false),
    readFirst: (key) => read(key, true),
    replace(key, seen, next, _waited, toWake, left, first) {
      sweeper?.start();
      return replace({ key, seen, next, wakes: toWake }, Math.ceil(Math.min(timeout, left) * patience), first);
    },
    ...(wakes && { watch: wakes.watch }),
    list: (prefix) => calls.list(prefix),
    time: () => calls.time(),
    async close() {
      sweeper?.stop();
      wakes?.close();
      await calls.close();
    },
  };
  const provider = createRecordProvider(store, { waiterTtl, timeout, poll, runtime });
  return Object.assign(provider, { connect: () => calls.connect() });
}
