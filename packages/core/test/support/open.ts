import { onTestFinished } from 'vitest';
import { openLocks } from '../../src/index.ts';
import type { Locks } from '../../src/index.ts';

/** Opens, and closes at the end of the test. */
export async function open(...input: Parameters<typeof openLocks>): Promise<Locks> {
  const locks = await openLocks(...input);
  onTestFinished(() => locks.close());
  return locks;
}
