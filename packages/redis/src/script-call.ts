import type { RedisClient } from './client.ts';
import type { Script } from './scripts.ts';

/** One call of a script by its digest, or by its text where the server does not know it. */
export class ScriptCall {
  readonly reply: Promise<unknown>;
  #over = false;

  constructor(client: RedisClient, script: Script, keys: readonly string[], args: readonly (string | number)[]) {
    this.reply = client.evalsha(script.sha, keys.length, ...keys, ...args).catch((error: unknown) => {
      // The script cache was flushed, or the server is new: nothing was done. Nor must it be once the caller has gone.
      if (this.#over || !(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(script.lua, keys.length, ...keys, ...args);
    });
  }

  /** Nobody waits for the reply any more: what was not sent yet is not sent. */
  giveUp(): void {
    this.#over = true;
  }
}
