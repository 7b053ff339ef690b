import { checkLayout } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { TransactionOpen } from '../dialect/errors/transaction-open.ts';
import type { Row } from './connection/connection.ts';
import { refuseOld } from './connection/check-version.ts';
import { numberOf, readOnly } from './connection/errors.ts';
import { nameOf, textOf } from './connection/session.ts';

interface ConnectionFacts {
  /** SYSDATE moves on within a statement. */
  readonly clockMoves: boolean;
  /** Its own database, if the tables are there. */
  readonly home: string | undefined;
}

/**
 * Checks what a new connection answers to the statement `check-connection`, and reads what matters
 * later.
 * @throws `LOCK_MISCONFIGURED` for tables or servers of another version.
 * @throws `TransactionOpen` for a session without autocommit.
 * @throws the server's own error for a server that is read only.
 */
export async function checkConnection(answer: Promise<readonly Row[]>, names: TableNames): Promise<ConnectionFacts> {
  const [row] = await answer.catch((error: unknown) => {
    // The table is missing: the way out is told below.
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

/** Checks what every store needs of a server, by its answer to `check-connection`. */
export function checkServer(row: Row): void {
  refuseOld(row['server']);
  // Each statement begins a transaction, and a lock would be taken when its user commits.
  if (Number(row['autocommit']) !== 1) throw new TransactionOpen(false);
  if (Number(row['read_only']) !== 0) throw readOnly();
}
