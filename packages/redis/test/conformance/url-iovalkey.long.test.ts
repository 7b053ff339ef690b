import { suite } from '../support/conformance.ts';
import { configuredWith } from '../support/make.ts';
import { ofConnections } from '../support/requirements.ts';

await suite('redis, iovalkey from configuration', configuredWith('iovalkey'), {}, ofConnections);
