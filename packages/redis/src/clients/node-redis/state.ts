import { misconfigured } from '@locks/core/adapter';
import { redisSource } from '../../options/options.ts';
import type { Send } from './commands.ts';

/** The members that show whether a client of node-redis can send. */
interface Openable {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  /** How many connections a client of one server has opened. */
  readonly socketEpoch?: number;
}

/** The state of a client that its caller connects and closes. */
export interface State {
  status(): 'connecting' | 'ready' | 'end';
  /** `send`, which explains itself if the client was never connected. */
  guarded(send: Send): Send;
}

/** The state of `client`. `what` is its name in messages. */
export function stateOf(client: Openable, what: string): State {
  let opened = false;
  const isOpen = (): boolean => {
    opened ||= client.isOpen || (client.socketEpoch ?? 0) > 0;
    return client.isOpen;
  };
  isOpen();
  return {
    status() {
      if (!isOpen()) return opened ? 'end' : 'connecting';
      return client.isReady === false ? 'connecting' : 'ready';
    },
    guarded:
      (send) =>
      async (...args) => {
        if (isOpen() || opened) return await send(...args);
        throw misconfigured(redisSource.where, `the ${what} of node-redis is not connected: await its connect() first`);
      },
  };
}
