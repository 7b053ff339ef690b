import { LockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import { withConnectionError } from './client.ts';
import type { ScriptClient } from './client.ts';
import type { Script } from './scripts.ts';

/** The input of a script: the number of its keys, the keys and the arguments. */
export type ScriptInput = readonly [keys: number, ...keysAndArgs: (string | number)[]];

/** One call of a script. */
export interface ScriptCall {
  readonly script: Script;
  /** Called when the script is sent. */
  input(): ScriptInput;
  /** The call's name in messages. */
  what(): string;
  /** Replaces a client's error. */
  explain(error: unknown): unknown;
  /**
   * It is completed even after its deadline: it frees what a client may have sent late.
   * @default false
   */
  readonly completes?: boolean;
}

export interface ScriptSender extends Pick<ScriptClient, 'evalsha' | 'eval' | 'status'> {
  /** The client that knows why there is no connection. @default itself */
  readonly over?: ScriptClient;
}

/** Calls a script within the deadline, or within `within` ms. */
export function callScript(
  client: ScriptSender,
  deadline: Deadline,
  call: ScriptCall,
  within?: number,
): Promise<unknown> {
  const mend = (error: unknown, late: boolean): Promise<unknown> => sendAgain(client, call, error, late);
  return deadline.race(sendScript(client, call), () => call.what(), within, mend);
}

/**
 * Sends a script by its digest.
 * @throws `LOCK_CLOSED` if the client has ended: it opens no connection any more. A command in
 * flight at the end may have taken effect, so only later ones are refused.
 */
function sendScript(client: ScriptSender, call: ScriptCall): Promise<unknown> {
  if ((client.over ?? client).status === 'end') return Promise.reject(clientEnded());
  return client.evalsha(call.script.sha, ...call.input());
}

/**
 * Sends the text of a script if the server does not know its digest. Throws other errors. `late`:
 * its deadline is over.
 */
function sendAgain(client: ScriptSender, call: ScriptCall, error: unknown, late: boolean): Promise<unknown> {
  if (!isUnknownScript(error) || (late && call.completes !== true))
    throw call.explain(withConnectionError(client.over ?? client, error));
  return client.eval(call.script.lua, ...call.input());
}

/** The script cache was flushed, or the server is new: the script did nothing. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

function clientEnded(): LockError {
  return new LockError(
    'LOCK_CLOSED',
    'The client of @locks/redis has ended: it was closed, or it has given up to reconnect. Close the locks before it; let its retry strategy never end.',
  );
}
