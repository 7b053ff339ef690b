import { suite } from '../support/conformance.ts';
import { configuredWith } from '../support/make.ts';
import { ofConnections, ofLibraries } from '../support/requirements.ts';

await suite('redis, client from configuration', configuredWith(), {}, ofConnections);
await suite('redis, iovalkey from configuration', configuredWith('iovalkey'), {}, ofConnections);
// node-redis.long.test.ts has the others.
await suite('redis, node-redis from configuration', configuredWith('redis'), {}, ofLibraries);
