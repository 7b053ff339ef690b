import { setImmediate as turn } from 'node:timers/promises';

/**
 * A connection that was quiet for longer may have ended, unheard, in ms: this process may have
 * stood still meanwhile.
 */
export const longestTrusted = 100;

/**
 * Resolves once the event loop has looked at its sockets again, and so has heard which have ended.
 * One turn is not enough: its look may have been before this call.
 */
export async function socketsHeard(): Promise<void> {
  await turn();
  await turn();
}
