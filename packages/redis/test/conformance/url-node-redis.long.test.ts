import { suite } from '../support/conformance.ts';
import { configuredWith } from '../support/make.ts';
import { ofLibraries } from '../support/requirements.ts';

// node-redis.long.test.ts has the others.
await suite('redis, node-redis from configuration', configuredWith('redis'), {}, ofLibraries);
