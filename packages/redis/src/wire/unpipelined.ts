import type { RedisClient, ScriptClient } from './client.ts';

/**
 * `client`, without its option `enableAutoPipelining`. With it the Cluster of earlier versions of
 * ioredis 5 groups scripts by their digest, not by their keys, and refuses all of a tick.
 */
export function unpipelined(client: ScriptClient): ScriptClient {
  if (client.options?.enableAutoPipelining !== true || client.createBuiltinCommand === undefined) return client;
  const [evalsha, evaluate, ping] = ['evalsha', 'eval', 'ping'].map((name) => {
    const { string } = client.createBuiltinCommand?.(name) ?? {};
    return (string as Command).bind(client);
  }) as [Command, Command, Command];
  return {
    evalsha,
    eval: evaluate,
    ping,
    options: client.options,
    get status() {
      return client.status;
    },
    /** Its error says why there is no connection. */
    get stream() {
      return (client as Partial<RedisClient>).stream;
    },
  } as ScriptClient;
}

type Command = (...args: (string | number)[]) => Promise<unknown>;
