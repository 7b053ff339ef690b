import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { LockError } from '@locks/core';
import type { Account, Pass } from './account.ts';

interface Content {
  readonly balance: number;
  /** The highest fencing token that has been here; text, since JSON knows no bigint. */
  readonly token?: string;
}

/** Makes the file of a new, empty balance. */
export function createFileAccount(path: string): Account {
  writeFileSync(path, JSON.stringify({ balance: 0 } satisfies Content));
  return openFileAccount(path);
}

/** A balance in a file, for processes of one machine. */
export function openFileAccount(path: string): Account {
  const scratch = `${path}.${process.pid}`;

  function load(): Content {
    return JSON.parse(readFileSync(path, 'utf8')) as Content;
  }

  // Renamed into place, so that readers without a lock see a whole balance, if an old one.
  function store(content: Content): void {
    writeFileSync(scratch, JSON.stringify(content));
    renameSync(scratch, path);
  }

  return {
    read(pass) {
      const content = load();
      if (pass !== undefined) store({ balance: content.balance, token: checked(content, pass) });
      return content.balance;
    },
    // A database compares the token and writes in one transaction. A file cannot: microseconds lie between the two here.
    write(balance, pass) {
      store(pass === undefined ? { balance } : { balance, token: checked(load(), pass) });
    },
  };
}

function checked({ token = '0' }: Content, pass: Pass): string {
  if (pass.token < BigInt(token)) {
    throw new LockError('LOCK_STALE', `Token ${pass.token} is refused: the file has already seen ${token}.`);
  }
  return pass.token.toString();
}
