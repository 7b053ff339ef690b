import { suite } from '../support/conformance.ts';
import { configuredWith } from '../support/make.ts';

await suite('redis, node-redis from configuration', configuredWith('redis'), {});
