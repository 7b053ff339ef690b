import { EventEmitter } from 'node:events';
import { socketsHeard } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import { commandsOf, senderOf } from '../clients/node-redis/commands.ts';
import type { Send } from '../clients/node-redis/commands.ts';
import { copyOf, destroy } from '../clients/node-redis/copy.ts';
import type { NodeRedisCopy } from '../clients/node-redis/client.ts';
import type { RedisClient } from '../wire/client.ts';
import { checkedSend } from './checked-client.ts';
import type { Connecting } from './own-client.ts';
import { pauseAfter } from './target.ts';

export interface OwnNodeRedisParts {
  readonly runtime: Runtime;
  /** In ms: a connection without an answer for this long is replaced. */
  readonly timeout: number;
  /** Time limit for connecting, in ms. */
  readonly connectTimeout: number;
  /** Replaces an error of a connection. */
  explain(error: Error): Error;
  /** Makes a client of the library for one connection. */
  create(): Promise<NodeRedisCopy>;
}

/** Represents the socket of a connection. */
interface Stream {
  /** How many answers it has received. */
  bytesRead: number;
  readonly destroy: (error: Error) => void;
}

/** An own client over node-redis. */
export interface OwnNodeRedis extends RedisClient, Connecting {
  info(section: string): Promise<unknown>;
  /** Sends any command. */
  command: Send;
}

/**
 * An own client over node-redis. Each connection is a separate client of the library, so each can
 * have different credentials, and none inherits state.
 */
export function ownNodeRedis(parts: OwnNodeRedisParts): OwnNodeRedis {
  const { runtime, timeout, create } = parts;
  const events = new EventEmitter();
  let status: 'wait' | 'connecting' | 'close' | 'ready' | 'end' = 'wait';
  let current: NodeRedisCopy | undefined;
  let stream: Stream | undefined;
  let send: Send | undefined;
  /** Connections that only wait for answers. */
  const left = new Set<NodeRedisCopy>();
  let attempts = 0;
  let next: TimerHandle | undefined;

  /** One attempt to connect. Rejects with its failure. */
  async function connect(): Promise<void> {
    status = 'connecting';
    let limit: TimerHandle | undefined;
    try {
      const connection = await create();
      if (isOver()) throw new Error('The client is closed');
      current = connection;
      let broken: Error | undefined;
      let fail: (error: Error) => void = () => {};
      const failed = new Promise<never>((_, reject) => (fail = reject));
      const end = (error: Error): void => {
        if (current === connection && status === 'ready') return lose(error);
        broken ??= error;
        fail(error);
      };
      // A server may accept a connection and stay silent, and so may the library.
      const late = (): void => end(new Error(`Redis did not answer within ${parts.connectTimeout} ms`));
      limit = runtime.setTimer(late, parts.connectTimeout, true);
      stream = { bytesRead: 0, destroy: end };
      connection.on('error', end);
      connection.on('end', () => end(new Error('Socket closed unexpectedly')));
      await Promise.race([connection.connect(), failed]);
      if (broken !== undefined) throw broken;
      send = watched(connection, stream);
      attempts = 0;
      status = 'ready';
      events.emit('ready');
    } catch (error) {
      drop();
      if (!isOver()) tell(error as Error);
      throw error;
    } finally {
      if (limit !== undefined) runtime.clearTimer(limit);
    }
  }

  function lose(error: Error): void {
    status = 'close';
    drop();
    tell(error);
    connectLater();
  }

  function tell(error: Error): void {
    events.emit('error', parts.explain(error));
  }

  function connectLater(): void {
    if (isOver()) return;
    attempts += 1;
    next = runtime.setTimer(() => void connect().catch(connectLater), pauseAfter(attempts), true);
  }

  function drop(): void {
    const connection = current;
    current = undefined;
    stream = undefined;
    send = undefined;
    if (connection !== undefined && !left.has(connection)) destroy(connection);
  }

  function isOver(): boolean {
    return status === 'end';
  }

  /** Sends over `connection`, and ends it if it does not answer, or answers as a replica. */
  function watched(connection: NodeRedisCopy, heard: Stream): Send {
    const end = heard.destroy;
    const sendNow = senderOf(connection);
    let unanswered = 0;
    let timer: TimerHandle | undefined;
    const finish = (): void => {
      if (left.delete(connection)) destroy(connection);
    };
    const silent = (): void => {
      end(new Error(`Redis was silent for ${timeout} ms`));
      finish();
    };
    const watch = (): void => {
      if (timer !== undefined) runtime.clearTimer(timer);
      timer = unanswered > 0 ? runtime.setTimer(silent, timeout, false) : undefined;
    };
    return async (...args) => {
      unanswered += 1;
      if (unanswered === 1) watch();
      try {
        const reply = await sendNow(...args);
        heard.bytesRead += 1;
        return reply;
      } catch (error) {
        // Another server is the master now: its name leads there. Other answers are refusals, too,
        // and leave nothing in doubt.
        if (error instanceof Error && /\bREADONLY\b/.test(error.message) && current === connection) {
          left.add(connection);
          end(error);
        }
        throw error;
      } finally {
        unanswered -= 1;
        watch();
        if (unanswered === 0) finish();
      }
    };
  }

  const command: Send = async (...args) => {
    if (status === 'ready' && send !== undefined) return await send(...args);
    throw new Error('The client is offline');
  };
  const commands = commandsOf(command);
  const client: OwnNodeRedis = {
    ...commands,
    evalsha: (...args) => checked(() => commands.evalsha(...args)),
    eval: (...args) => checked(() => commands.eval(...args)),
    command: (...args) => checked(() => command(...args)),
    duplicate: () => copyOf({ create, explain: (error) => parts.explain(error) }),
    sendsOnce: true,
    get stream() {
      return stream;
    },
    get status() {
      return status === 'ready' && current?.isReady !== true ? 'close' : status;
    },
    connect,
    disconnect() {
      if (isOver()) return;
      status = 'end';
      if (next !== undefined) runtime.clearTimer(next);
      drop();
      for (const connection of left) destroy(connection);
      left.clear();
      events.emit('end');
    },
    on: (event, listener) => events.on(event, listener),
    once: (event, listener) => events.once(event, listener),
    off: (event, listener) => events.off(event, listener),
  };
  const checked = checkedSend(client, runtime, closesHeard);
  return client;
}

/** The library handles a closed socket some turns of the loop after its end. */
async function closesHeard(): Promise<void> {
  for (let look = 0; look < 3; look += 1) await socketsHeard();
}
