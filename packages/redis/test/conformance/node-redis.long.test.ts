import { suite } from '../support/conformance.ts';
import { overNodeRedis } from '../support/node-redis.ts';

await suite('redis, node-redis', overNodeRedis, {});
