import { EventEmitter } from 'node:events';
import type { RedisCopy } from '../../wire/client.ts';
import type { NodeRedisClient, NodeRedisCopy } from './client.ts';
import { commandsOf, senderOf } from './commands.ts';
import type { Send } from './commands.ts';

/** A copy of `client`, used until its connection ends. */
export function duplicateOf(client: NodeRedisClient): NodeRedisCopy {
  const { socket } = (client.options ?? {}) as { readonly socket?: object };
  return client.duplicate({
    socket: { ...socket, reconnectStrategy: false },
    disableOfflineQueue: true,
    commandsQueueMaxLength: undefined,
    // Listeners would receive invalidations.
    clientSideCache: undefined,
  });
}

/** Ends `copy`. */
export function destroy(copy: NodeRedisCopy): void {
  try {
    copy.destroy();
  } catch {
    // It has ended already.
  }
}

/** How a copy is created and used. */
export interface CopyParts {
  /** Makes its client. */
  create(): NodeRedisCopy | Promise<NodeRedisCopy>;
  /** Prepended to the keys of scripts. @default '' */
  readonly keyPrefix?: string;
  /** Replaces an error. @default the same */
  explain?(error: Error): Error;
}

/** A connection of its own, with the events of ioredis. */
export function copyOf({ create, keyPrefix, explain = (error) => error }: CopyParts): RedisCopy {
  const events = new EventEmitter();
  let copy: NodeRedisCopy | undefined;
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    if (copy !== undefined) destroy(copy);
    events.emit('close');
  };
  const connected = (): NodeRedisCopy => {
    if (copy === undefined || closed) throw new Error('The client is closed');
    return copy;
  };
  const send: Send = async (...args) => await senderOf(connected())(...args);
  return {
    ...commandsOf(send, keyPrefix),
    wait: async (replicas, timeout) => Number(await send('WAIT', replicas, timeout)),
    async connect() {
      copy = await create();
      copy.on('error', (error: Error) => {
        if (events.listenerCount('error') > 0) events.emit('error', explain(error));
        close();
      });
      copy.on('end', close);
      if (closed) throw new Error('The client is closed');
      await copy.connect();
      copy.unref();
    },
    subscribe: (channel) =>
      connected().subscribe(channel, (message, from) => void events.emit('message', from, message)),
    disconnect: close,
    on: (event, listener) => events.on(event, listener as (...args: unknown[]) => void),
  };
}
