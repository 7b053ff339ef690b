import type { Closable, LinkedSet } from '../../leases/ending/linked-set.ts';
import { pause } from '../../time/pause.ts';
import type { Runtime } from '../../time/runtime.ts';

/** What a pause needs from its client. */
export interface OpenHost {
  readonly runtime: Runtime;
  /** What ends when the client closes. */
  readonly acquisitions: LinkedSet<Closable>;
  /** Throws when it is closed. */
  checkOpen(): void;
}

/** Resolves after `ms`. Rejects when `signal` aborts or the client closes, with the reason. */
export async function pauseWhileOpen(
  { runtime, acquisitions, checkOpen }: OpenHost,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A later member of the set would not be closed.
  checkOpen();
  const closed = new AbortController();
  const close: Closable['close'] = (reason) => closed.abort(reason);
  const closable: Closable = { setPrevious: undefined, setNext: undefined, close };
  const ended = AbortSignal.any(signal === undefined ? [closed.signal] : [closed.signal, signal]);
  acquisitions.add(closable);
  await pause(runtime, ms, { signal: ended });
  acquisitions.delete(closable);
  ended.throwIfAborted();
}
