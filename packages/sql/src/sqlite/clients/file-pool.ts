import { LockError } from '@locks/core/adapter';
import type { SqlClient } from '../../dialect/pools/client.ts';
import { discard } from '../connection/connection.ts';
import type { Database } from '../connection/connection.ts';
import { closeFile } from './open-file.ts';

/** A call that waits for a connection. */
interface Borrower {
  readonly resolve: (connection: Promise<Database>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Connections to one file, of which there are `max` at most. `open` makes one. */
export function createFilePool(
  file: string,
  max: number,
  open: () => Promise<Database>,
): { readonly client: SqlClient<Database>; end(): Promise<void> } {
  const idle: Database[] = [];
  const waiting: Borrower[] = [];
  let opened = 0;
  let ended = false;
  let allClosed = (): void => {};

  async function openOne(): Promise<Database> {
    opened += 1;
    try {
      return await open();
    } catch (error) {
      opened -= 1;
      next();
      throw error;
    }
  }

  /** Serves the call that has waited longest, if there is a connection for it. */
  function next(): void {
    if (waiting.length === 0 || (idle.length === 0 && opened >= max)) return;
    const connection = idle.pop();
    waiting.shift()?.resolve(connection === undefined ? openOne() : Promise.resolve(connection));
  }

  const client: SqlClient<Database> = {
    database: 'sqlite',
    isTransaction: false,
    max,
    get ended() {
      return ended;
    },
    file,
    acquire: () =>
      new Promise<Database>((resolve, reject) => {
        waiting.push({ resolve, reject });
        next();
      }),
    release(connection, broken) {
      if (broken || ended) {
        opened -= 1;
        closeFile(connection);
        if (opened === 0) allClosed();
      } else {
        idle.push(connection);
      }
      next();
    },
    waiting: () => waiting.length,
    discard,
  };
  return {
    client,
    /** Resolves once those that are lent are given back too. */
    async end() {
      ended = true;
      for (const connection of idle.splice(0)) client.release(connection, true);
      const closed = new LockError('LOCK_CLOSED', `The pool of the file ${JSON.stringify(file)} was ended.`);
      for (const { reject } of waiting.splice(0)) reject(closed);
      if (opened > 0) await new Promise<void>((resolve) => (allClosed = resolve));
    },
  };
}
