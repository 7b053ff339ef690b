import type { LockProvider } from '../../contract.ts';

/** Closes `provider`. Never rejects. */
export async function closeQuietly(provider: LockProvider): Promise<void> {
  try {
    await provider.close();
  } catch {
    // The caller has ended with it.
  }
}
