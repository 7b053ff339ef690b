import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { namespaced } from '@locks/composites';
import { createLocks } from '@locks/core';
import { instrumentLocks } from '@locks/opentelemetry';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';
import { addressOf, quiet } from './opened.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
}

/** Two parts of one client's keys: its neighbour closes while this one works. */
export async function open(given: OpenArguments): Promise<OpenedLocks> {
  const { ttl, options } = given.args as unknown as Args;
  const client = quiet(new Redis({ ...addressOf(given), socketTimeout: 2_000 }));
  const provider = namespaced(createRedisProvider(client, options), 'billing');
  const plain = createLocks(provider, { ttl });
  const telemetry = given.settings['telemetry'] === true ? instrumentLocks() : undefined;
  return {
    locks: plain,
    async close() {
      await plain.close();
      await provider.close();
      telemetry?.end();
      client.disconnect();
    },
  };
}
