import { EventEmitter } from 'node:events';
import { misconfigured } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { RedisClient, RedisCopy } from '../wire/client.ts';

/**
 * The few members of a client of `redis` (node-redis 6.1) that are used: what `createClient()`
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
 * Version 5 is refused (5.12.1 was tried): after a reconnection it answers no command any more, or
 * gives a command the reply of another one. 6.0 cannot be told from it.
 */
export function checkMajor(client: NodeRedisClient): void {
  if ('_keyPrefix' in client) return;
  const why = 'it takes node-redis 6.1 or newer, as older versions may mix up replies after a reconnection';
  throw misconfigured(redisSource.where, `${why}. Upgrade "redis", or use ioredis or iovalkey`);
}

/** `client` as the provider uses one. */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  checkMajor(client);
  const sendNow = senderOf(client);
  const send: Send = async (...args) => {
    if (client.isOpen || client.socketEpoch > 0) return await sendNow(...args);
    throw misconfigured(redisSource.where, 'the client of node-redis is not connected: await client.connect() first');
  };
  return {
    ...commandsOf(send),
    duplicate: () => copyOf(() => duplicateOf(client)),
    get stream() {
      return client.socketEpoch;
    },
    get status() {
      if (client.isReady) return 'ready';
      return client.isOpen || client.socketEpoch === 0 ? 'connecting' : 'end';
    },
  };
}

/** Sends a command, and gives its reply. */
export type Send = (...args: readonly Arg[]) => Promise<unknown>;

/** Sends over `client`. Errors of the server have the name that they have with ioredis. */
export function senderOf(client: NodeRedisClient): Send {
  return async (...args) => {
    try {
      return await client.sendCommand(args.map(String));
    } catch (error) {
      throw asReply(error);
    }
  };
}

/** The commands that the provider uses, over `send`. */
export function commandsOf(send: Send): Pick<RedisClient, 'evalsha' | 'eval' | 'ping' | 'scan'> {
  return {
    evalsha: (sha, keys, ...args) => send('EVALSHA', sha, keys, ...args),
    eval: (script, keys, ...args) => send('EVAL', script, keys, ...args),
    ping: () => send('PING'),
    scan: (cursor, ...rest) => send('SCAN', cursor, ...rest) as Promise<[string, string[]]>,
  };
}

function asReply(error: unknown): unknown {
  const isReply = error instanceof Error && /^(?:-?[A-Z]{2,}\b)/.test(error.message);
  if (isReply) error.name = 'ReplyError';
  return error;
}

/** A copy of `client`, which serves until its connection ends. */
function duplicateOf(client: NodeRedisClient): NodeRedisCopy {
  const { socket } = (client.options ?? {}) as { readonly socket?: object };
  return client.duplicate({
    socket: { ...socket, reconnectStrategy: false },
    disableOfflineQueue: true,
    commandsQueueMaxLength: undefined,
    // Listeners would hear of invalidations.
    clientSideCache: undefined,
  });
}

/** Ends `copy`. */
export function destroy(copy: NodeRedisCopy): void {
  try {
    copy.destroy();
  } catch {
    // It has ended, so there was no connection any more.
  }
}

/**
 * A connection of its own, with the events of ioredis. `create` makes its client, and `explain`
 * gives the error to tell.
 */
export function copyOf(
  create: () => NodeRedisCopy | Promise<NodeRedisCopy>,
  explain: (error: Error) => Error = (error) => error,
): RedisCopy {
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
    ...commandsOf(send),
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
    },
    subscribe: (channel) =>
      connected().subscribe(channel, (message, from) => void events.emit('message', from, message)),
    disconnect: close,
    on: (event, listener) => events.on(event, listener as (...args: unknown[]) => void),
  };
}
