import { isLockError } from '@locks/core';
import type { LockError, LockProvider } from '@locks/core';
import { createEtcdProvider } from '../../src/index.ts';
import type { EtcdConfigOptions } from '../../src/index.ts';

/** The error that opening a provider rejects with. What opens in spite of it is closed. */
export async function refusal(options: EtcdConfigOptions & { readonly url?: string }): Promise<LockError> {
  let opened: LockProvider;
  try {
    opened = await createEtcdProvider(options);
  } catch (error) {
    if (isLockError(error)) return error;
    throw error;
  }
  await opened.close();
  throw new Error('It opened.');
}
