import { suite } from '../../support/conformance.ts';
import { overNodeRedisPool } from '../../support/node-redis.ts';
import { ofLibraries } from '../../support/requirements.ts';

// node-redis.long.test.ts has the others.
await suite('redis, a pool of node-redis', overNodeRedisPool, {}, ofLibraries);
