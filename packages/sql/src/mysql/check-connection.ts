import { checkLayout } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { TransactionOpen } from '../dialect/errors/transaction-open.ts';
import type { Row } from './connection/connection.ts';
import { refuseOld } from './connection/check-version.ts';
import { numberOf, readOnly } from './connection/errors.ts';
import { nameOf, textOf } from './connection/session.ts';

interface ConnectionFacts {
  /** SYSDATE advances within a statement. */
  readonly clockMoves: boolean;
  /** Its own database, if it has the tables. */
  readonly home: string | undefined;
}

/**
 * Checks the answer of a new connection to `check-connection`, and returns what matters later.
 * @throws `LOCK_MISCONFIGURED` for tables or servers of another version.
 * @throws `TransactionOpen` for a session without autocommit.
 * @throws the server's own error for a read-only server.
 */
export async function checkConnection(answer: Promise<readonly Row[]>, names: TableNames): Promise<ConnectionFacts> {
  const [row] = await answer.catch((error: unknown) => {
    // The table is missing: reported below.
    if (numberOf(error) === 1146) return [];
    throw error;
  });
  checkLayout(
    row && { version: Number(textOf(row['layout'])), readableFrom: Number(textOf(row['readable_from'])) },
    names,
  );
  checkServer(row ?? {});
  const home = row?.['home'] ?? undefined;
  return { clockMoves: Number(row?.['moves']) === 1, home: home === undefined ? undefined : nameOf(home) };
}

/** Checks what every store requires of a server, by its answer to `check-connection`. */
export function checkServer(row: Row): void {
  refuseOld(row['server']);
  // Each statement begins a transaction, and a lock would be taken only when its user commits.
  if (Number(row['autocommit']) !== 1) throw new TransactionOpen(false);
  if (Number(row['read_only']) !== 0) throw readOnly();
}
