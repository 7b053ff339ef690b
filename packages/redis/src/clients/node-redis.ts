import { EventEmitter } from 'node:events';
import { misconfigured } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { RedisClient, RedisCopy } from '../wire/client.ts';

/**
 * The few members of a client of `redis` (node-redis 6) that are used: what `createClient()`
 * gives. It stays as it is, and is never closed.
 */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  /** How many connections it has opened. */
  readonly socketEpoch: number;
  readonly options?: object | undefined;
  sendCommand(args: readonly string[]): Promise<unknown>;
  duplicate(overrides?: object): NodeRedisCopy;
}

/** A copy of it, which serves until its connection ends. */
export interface NodeRedisCopy extends NodeRedisClient {
  connect(): Promise<unknown>;
  destroy(): void;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  on(event: string, listener: (error: Error) => void): unknown;
}

type Arg = string | number;

/** Whether `client` is one of node-redis for a single server. */
export function isNodeRedis(client: unknown): client is NodeRedisClient {
  const { sendCommand, duplicate, isReady, socketEpoch } = (client ?? {}) as Partial<NodeRedisClient>;
  const calls = typeof sendCommand === 'function' && typeof duplicate === 'function';
  return calls && typeof isReady === 'boolean' && typeof socketEpoch === 'number';
}

/** What else node-redis has: it is refused by name. */
export function otherNodeRedis(client: unknown): 'Cluster' | 'pool' | 'Sentinel' | undefined {
  const found = (client ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof found['sendCommand'] !== 'function') return undefined;
  if (found['masters'] !== undefined) return 'Cluster';
  if (typeof found['getSentinelNode'] === 'function' || typeof found['acquire'] === 'function') return 'Sentinel';
  return typeof found['execute'] === 'function' ? 'pool' : undefined;
}

/**
 * `client` as the provider uses one. Version 5 is refused (5.12.1 was tried): after a reconnection
 * it answers no command any more, or gives a command the reply of another one.
 */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  if (!('_keyPrefix' in client)) {
    const why =
      'it takes node-redis 6 or newer. Version 5 may give a command the reply of another one after a reconnection';
    throw misconfigured(redisSource.where, `${why}. Upgrade "redis", or pass a client of ioredis`);
  }
  const sendNow = senderOf(client);
  const send: Send = async (...args) => {
    if (client.isOpen || client.socketEpoch > 0) return await sendNow(...args);
    throw misconfigured(redisSource.where, 'the client of node-redis is not connected: await client.connect() first');
  };
  return {
    ...commandsOf(send),
    scan: (cursor, ...rest) => send('SCAN', cursor, ...rest) as Promise<[string, string[]]>,
    duplicate: () => copyOf(client),
    get stream() {
      return client.socketEpoch;
    },
    get status() {
      if (client.isReady) return 'ready';
      return client.isOpen || client.socketEpoch === 0 ? 'connecting' : 'end';
    },
  };
}

type Send = (...args: readonly Arg[]) => Promise<unknown>;

function senderOf(client: NodeRedisClient): Send {
  return async (...args) => {
    try {
      return await client.sendCommand(args.map(String));
    } catch (error) {
      throw asReply(error);
    }
  };
}

function commandsOf(send: Send): Pick<RedisClient, 'evalsha' | 'eval' | 'ping'> {
  return {
    evalsha: (sha, keys, ...args) => send('EVALSHA', sha, keys, ...args),
    eval: (script, keys, ...args) => send('EVAL', script, keys, ...args),
    ping: () => send('PING'),
  };
}

/** Errors of the server have the name that they have with ioredis. */
function asReply(error: unknown): unknown {
  const isReply = error instanceof Error && /^(?:-?[A-Z]{2,}\b)/.test(error.message);
  if (isReply) error.name = 'ReplyError';
  return error;
}

/** A connection of its own, with the events of ioredis. */
function copyOf(client: NodeRedisClient): RedisCopy {
  const { socket } = (client.options ?? {}) as { readonly socket?: object };
  const copy = client.duplicate({
    socket: { ...socket, reconnectStrategy: false },
    disableOfflineQueue: true,
    commandsQueueMaxLength: undefined,
    // Listeners would hear of invalidations.
    clientSideCache: undefined,
  });
  const events = new EventEmitter();
  const send = senderOf(copy);
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    events.emit('close');
  };
  copy.on('error', (error: Error) => {
    if (events.listenerCount('error') > 0) events.emit('error', error);
    close();
  });
  copy.on('end', close);
  return {
    ...commandsOf(send),
    wait: async (replicas, timeout) => Number(await send('WAIT', replicas, timeout)),
    connect: () => copy.connect(),
    subscribe: (channel) => copy.subscribe(channel, (message, from) => void events.emit('message', from, message)),
    disconnect() {
      // It throws where there is no connection any more.
      try {
        copy.destroy();
      } catch {
        // It has ended.
      }
      close();
    },
    on: (event, listener) => events.on(event, listener as (...args: unknown[]) => void),
  };
}
