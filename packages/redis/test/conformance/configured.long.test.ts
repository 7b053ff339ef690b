import { suite } from '../support/conformance.ts';
import { configured } from '../support/make.ts';
import { ofConnections } from '../support/requirements.ts';

await suite('redis, client from configuration', configured, {}, ofConnections);
