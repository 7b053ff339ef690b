/**
 * Resolves when `signal` is aborted; immediately if it already is. For work that only holds:
 * `lead: (lease) => untilAborted(lease.signal)`. It does not keep the process running.
 */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
