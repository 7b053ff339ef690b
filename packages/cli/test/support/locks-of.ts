import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { onTestFinished } from 'vitest';
import type { User } from './locks-program.ts';

/** Locks of this process in the usual store of `user`. */
export async function locksOf({ home }: User): Promise<Locks> {
  const folder = join(home, '.local/state/locks');
  mkdirSync(folder, { recursive: true });
  const locks = await openLocks(`sqlite:${join(folder, 'locks.db')}?migrate=true`, { label: 'web-1' });
  onTestFinished(async () => await locks.close());
  return locks;
}
