import { suite } from '../support/conformance.ts';
import { overNodeRedis } from '../support/node-redis.ts';
import { ofAnotherClient } from '../support/requirements.ts';

await suite('redis, node-redis', overNodeRedis, {}, ofAnotherClient);
