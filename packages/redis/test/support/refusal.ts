import { isLockError } from '@locks/core';
import type { LockError } from '@locks/core';

/** The error that `open` rejects with. What opens in spite of it is closed. */
export async function refusal(open: Promise<{ close(): Promise<void> }>): Promise<LockError> {
  try {
    await (await open).close();
  } catch (error) {
    if (isLockError(error)) return error;
    throw error;
  }
  throw new Error('It opened.');
}
