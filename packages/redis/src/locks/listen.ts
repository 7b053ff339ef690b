import type { Deadline, Listen, LockError, Assignment } from '@locks/core/adapter';
import { copyOptions, unref } from '../wire/client.ts';
import type { RedisClient, RedisSubscriber } from '../wire/client.ts';
import { toLockError } from '../wire/replies.ts';
import { noNode } from '../wire/servers.ts';
import type { Servers } from '../wire/servers.ts';

const subscription = 'the subscription of the wake channel';

/**
 * Subscribes copies of clients to `channel`, on which scripts publish the owners whose turn it is.
 * One receives all messages. In a Cluster there is one at each master: nodes delay what they
 * forward to each other.
 */
export function listenOn(servers: Servers, channel: string, waiterTtl: number, deadline: Deadline): Listen {
  return async (heard, lost, signal) => {
    const open = new Set<RedisSubscriber>();
    const tried = new WeakSet<RedisClient>();
    const close = (): void => {
      for (const subscriber of open) subscriber.disconnect();
    };
    signal.addEventListener('abort', close);

    async function subscribe(client: RedisClient): Promise<void> {
      // The queue opens other copies when one is lost.
      const subscriber = client.duplicate(copyOptions);
      let failure: unknown;
      subscriber.on('error', (error: unknown) => (failure ??= error));
      const explain = (error: unknown): LockError => toLockError(failure ?? error, { what: subscription });
      subscriber.on('message', (from: string, message: string) => {
        if (from !== channel) return;
        const { owner, assigned } = readTurn(message, waiterTtl);
        heard(owner, assigned);
        for (const another of joining()) another.catch(() => {});
      });
      open.add(subscriber);
      try {
        // The client waits indefinitely for a server that accepts it and stays silent.
        await deadline.race(subscriber.connect(), subscription);
        unref(subscriber);
        await deadline.race(subscriber.subscribe(channel), subscription);
      } catch (error) {
        open.delete(subscriber);
        subscriber.disconnect();
        throw explain(error);
      }
      subscriber.on('close', () => lost(explain('the connection was closed')));
    }

    /** Subscriptions at servers that are new to the client. */
    function joining(): Promise<void>[] {
      if (signal.aborted) return [];
      const clients = servers.listenAt().filter((client) => !tried.has(client));
      for (const client of clients) tried.add(client);
      return clients.map(subscribe);
    }

    try {
      await Promise.any(joining());
    } catch (error) {
      close();
      throw error instanceof AggregateError ? (error.errors[0] ?? noNode()) : error;
    }
    return {
      close,
      probe: async () => void (await Promise.all([...open].map(probe))),
    };
  };
}

async function probe(subscriber: RedisSubscriber): Promise<void> {
  try {
    await subscriber.ping();
  } catch (error) {
    // A refusal is an answer.
    if (toLockError(error, { what: 'a ping' }).code !== 'LOCK_MISCONFIGURED') throw error;
  }
}

/** A message of the scripts: see `assign` and `wakeHead` in `lua/algorithm.lua`. */
interface Turn {
  readonly owner: string;
  /** The grant of the key to the owner. `undefined`: its turn has come, and it must try. */
  readonly assigned: Assignment | undefined;
}

/**
 * A plain message is an owner. One of an assignment begins with a newline, as no owner does. The
 * assigned hold lasts as long as the position would have, `waiterTtl`, if its ttl is not less.
 */
function readTurn(message: string, waiterTtl: number): Turn {
  const [, token, ttl, sentAt, owner] = /^\n(\d+) (\d+) (\d+) ([^]*)$/.exec(message) ?? [];
  if (token === undefined || owner === undefined) return { owner: message, assigned: undefined };
  return {
    owner,
    assigned: { token: BigInt(token), sentAt: Number(sentAt), validity: Math.min(Number(ttl), waiterTtl) },
  };
}
