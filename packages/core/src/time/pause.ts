import type { Runtime } from './runtime.ts';

/** What ends a pause, and whether it keeps the process running. */
export interface PauseOptions {
  /** Ends the pause when it aborts. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Keeps the process running until the pause ends. @default true */
  readonly keepAlive?: boolean | undefined;
}

/** Resolves after `ms`, or when `signal` aborts. Never rejects. */
export async function pause(
  runtime: Pick<Runtime, 'setTimer' | 'clearTimer'>,
  ms: number,
  { signal, keepAlive = true }: PauseOptions = {},
): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      runtime.clearTimer(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = runtime.setTimer(end, ms, keepAlive);
    signal?.addEventListener('abort', end);
  });
}
