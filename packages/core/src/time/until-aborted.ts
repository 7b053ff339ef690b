/**
 * Resolves when `signal` is aborted; at once where it is already. For work that has nothing to do
 * but to hold: `lead: (lease) => untilAborted(lease.signal)`. It does not keep the process running.
 */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
