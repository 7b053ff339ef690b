import type { Closable, LinkedSet } from '../../leases/ending/linked-set.ts';
import { pause } from '../../time/pause.ts';
import type { Runtime } from '../../time/runtime.ts';

/** What a pause needs from its `Locks`. */
export interface OpenHost {
  readonly runtime: Runtime;
  /** What ends when the `Locks` closes. */
  readonly acquisitions: LinkedSet<Closable>;
  /** Throws when it is closed. */
  checkOpen(): void;
}

/** Resolves after `ms`. Rejects when `signal` aborts or the `Locks` closes, with the reason. */
export async function pauseWhileOpen(
  { runtime, acquisitions, checkOpen }: OpenHost,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Who comes after its end is told of no other.
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
