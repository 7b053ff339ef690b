import type { RedisClient } from '../../wire/client.ts';
import { commandsOf, senderOf } from './commands.ts';
import { copyOf, duplicateOf } from './copy.ts';
import type { NodeRedisClient } from './client.ts';
import { keyPrefixOf } from './version.ts';
import { stateOf } from './state.ts';

/** A client of one server as the provider uses one. */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  const keyPrefix = keyPrefixOf(client);
  const state = stateOf(client, 'client');
  return {
    ...commandsOf(state.guarded(senderOf(client)), keyPrefix),
    duplicate: () => copyOf({ create: () => duplicateOf(client), keyPrefix }),
    get stream() {
      return client.socketEpoch;
    },
    get status() {
      return state.status();
    },
  };
}
