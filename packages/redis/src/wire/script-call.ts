import type { CallName, Deadline } from '@locks/core/adapter';
import { withConnectionError } from './client.ts';
import type { ScriptClient } from './client.ts';
import type { Script } from './scripts.ts';

/** One call of a script, and how to speak of it. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  readonly what: CallName;
  /** The error to reject with, for one that the client rejected with. */
  readonly explain: (error: unknown) => unknown;
}

/**
 * Calls a script by its digest, within the deadline or `within` ms. Sends its text where the server
 * does not know the digest.
 */
export function callScript(
  client: Pick<ScriptClient, 'evalsha' | 'eval' | 'status'>,
  deadline: Deadline,
  { script, keys, args, what, explain }: ScriptCall,
  within?: number,
): Promise<unknown> {
  const mend = (error: unknown): Promise<unknown> => {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) {
      throw explain(withConnectionError(client, error));
    }
    // The script cache was flushed, or the server is new: nothing was done.
    return client.eval(script.lua, keys.length, ...keys, ...args);
  };
  return deadline.race(client.evalsha(script.sha, keys.length, ...keys, ...args), what, within, mend);
}
