import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { LockError } from '@locks/core';

/** A bank balance in a file, which processes of one machine share. */
export interface Account {
  read(): number;
  /**
   * With a fencing token: throws `LOCK_STALE` if a holder with this token or a later one has
   * written.
   */
  write(balance: number, token?: bigint): void;
}

interface Content {
  readonly balance: number;
  /** The highest fencing token that has written. It is text, since JSON has no bigint. */
  readonly token: string;
}

/** Opens the balance in the file at `path`; a missing file is a balance of 0. */
export function openAccount(path: string): Account {
  function load(): Content {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return { balance: 0, token: '0' };
    }
  }

  return {
    read: () => load().balance,
    write(balance, token) {
      const highest = BigInt(load().token);
      // A database compares the token and writes in one transaction. Here some microseconds lie
      // between.
      if (token !== undefined && token <= highest) {
        throw new LockError('LOCK_STALE', `Token ${token} is refused: the file has already seen ${highest}.`);
      }
      const scratch = `${path}.${process.pid}`;
      writeFileSync(scratch, JSON.stringify({ balance, token: `${token ?? highest}` } satisfies Content));
      // Renamed into place, so that readers without a lock see a whole balance.
      renameSync(scratch, path);
    },
  };
}
