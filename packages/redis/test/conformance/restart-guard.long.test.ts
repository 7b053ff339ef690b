import { createRedisProvider, initialise } from '../../src/index.ts';
import { suite } from '../support/conformance.ts';
import type { Make } from '../support/make.ts';
import { answers } from '../../../conformance/test/support/selection.ts';
import { closing } from '@locks/test-servers';
import { clients } from '../support/redis.ts';

const [[, open]] = clients;

/** The server has lost nothing: it is initialised. */
const make: Make = async (address, options) => {
  const client = open(address);
  client.on('error', () => {});
  await initialise(client, { prefix: options.prefix });
  return closing(createRedisProvider(client, options), () => client.disconnect());
};

await suite('redis, restartGuard', make, { restartGuard: '10m' }, answers);
