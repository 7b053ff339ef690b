import { createDeadline } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { destroy } from '../clients/node-redis/copy.ts';
import type { NodeRedisCopy } from '../clients/node-redis/client.ts';
import type { RedisHost } from '../options/hosts.ts';

/** What the master is looked up with. */
export interface SentinelParts {
  readonly sentinels: readonly RedisHost[];
  readonly name: string;
  /** A Sentinel that is silent for so long is passed over, in ms. */
  readonly limit: number;
  readonly runtime: Runtime;
  /** Makes a client of the library for a Sentinel. */
  create(sentinel: RedisHost): Promise<NodeRedisCopy>;
}

/**
 * Gives the address of the master at each call. Each call begins with another Sentinel, because one
 * that is cut off from the others goes on naming the old master.
 */
export function masterOf({ sentinels, name, limit, runtime, create }: SentinelParts): () => Promise<RedisHost> {
  let first = 0;

  async function ask(sentinel: RedisHost): Promise<RedisHost> {
    const client = await create(sentinel);
    const deadline = createDeadline(runtime, limit, `The Sentinel at ${sentinel.host}:${sentinel.port}`);
    let failure: unknown;
    client.on('error', (error) => (failure ??= error));
    try {
      await deadline.race(client.connect(), 'the connection');
      const asked = client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]);
      const answer = await deadline.race(asked, 'the address of the master');
      if (!Array.isArray(answer)) throw new Error('ERR No such master with that name');
      return { host: String(answer[0]), port: Number(answer[1]) };
    } catch (error) {
      throw failure ?? error;
    } finally {
      deadline.stop();
      destroy(client);
    }
  }

  return async () => {
    const start = first;
    first = (start + 1) % sentinels.length;
    let last: unknown;
    for (const sentinel of [...sentinels.slice(start), ...sentinels.slice(0, start)]) {
      try {
        return await ask(sentinel);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };
}
