import { createFencingGuard } from '@locks/core';
import type { Account } from './account.ts';

/** A balance for the tasks of one process. */
export function createMemoryAccount(): Account {
  const guard = createFencingGuard();
  let current = 0;
  return {
    read(pass) {
      if (pass !== undefined) guard.check('balance', pass);
      return current;
    },
    write(balance, pass) {
      if (pass !== undefined) guard.check('balance', pass);
      current = balance;
    },
  };
}
