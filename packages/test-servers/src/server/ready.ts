import { setTimeout as delay } from 'node:timers/promises';

/** How to wait for a server. */
export interface ReadyOptions {
  /** Rejects as long as the server is not ready. */
  readonly probe: () => Promise<void>;
  /** Why waiting is pointless (the process is gone), else `undefined`. */
  readonly failure: () => Promise<string | undefined>;
  /** The end of the server's output. */
  readonly output: () => Promise<string>;
  /** In ms. */
  readonly timeout: number;
  /** The name of the server in errors. */
  readonly what: string;
}

/**
 * Resolves when `probe` does; rejects with the server's output if it cannot get ready, or did not
 * in time.
 */
export async function waitUntilReady({ probe, failure, output, timeout, what }: ReadyOptions): Promise<void> {
  const deadline = performance.now() + timeout;
  for (;;) {
    // Before the probe, too: another server may answer on the port of a process that is gone.
    let reason = await failure();
    if (reason === undefined) {
      try {
        return await probe();
      } catch (error) {
        if (performance.now() > deadline) reason = `did not answer within ${timeout} ms (${messageOf(error)})`;
      }
    }
    if (reason !== undefined)
      throw new Error(`${what} ${reason}. Its output ended with:\n${(await output()) || '(nothing)'}`);
    await delay(25);
  }
}

/** The message of an error, for use inside another message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The last lines of a server's output, without `secret`. */
export function tailOf(output: string, secret?: string): string {
  const shown = secret === undefined || secret === '' ? output : output.replaceAll(secret, '***');
  return shown.trimEnd().split('\n').slice(-40).join('\n');
}
