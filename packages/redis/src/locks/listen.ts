import type { Deadline, Listen, LockError } from '@locks/core/adapter';
import { copyOptions } from '../wire/client.ts';
import { toLockError } from '../wire/replies.ts';
import type { Servers } from '../wire/servers.ts';

const subscription = 'the subscription of the wake channel';

/**
 * Subscribes a copy of a client to `channel`, on which scripts publish the owners whose turn it is.
 */
export function listenOn(servers: Servers, channel: string, deadline: Deadline): Listen {
  return async (heard, lost, signal) => {
    // The line opens another copy when this one is lost.
    const subscriber = servers.listenAt().duplicate(copyOptions);
    let failure: unknown;
    subscriber.on('error', (error: unknown) => (failure ??= error));
    const explain = (error: unknown): LockError => toLockError(failure ?? error, { what: subscription });
    subscriber.on('close', () => lost(explain('the connection was closed')));
    subscriber.on('message', (from: string, owner: string) => {
      if (from === channel) heard(owner);
    });
    const close = (): void => subscriber.disconnect();
    signal.addEventListener('abort', close);
    try {
      // The client waits without limit for a server that accepts it and then says nothing.
      await deadline.race(subscriber.connect(), subscription);
      await deadline.race(subscriber.subscribe(channel), subscription);
    } catch (error) {
      close();
      throw explain(error);
    }
    return {
      close,
      async probe() {
        try {
          await subscriber.ping();
        } catch (error) {
          // A refusal is an answer.
          if (toLockError(error, { what: 'a ping' }).code !== 'LOCK_MISCONFIGURED') throw error;
        }
      },
    };
  };
}
