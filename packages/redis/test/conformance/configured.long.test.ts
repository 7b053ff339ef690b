import { suite } from '../support/conformance.ts';
import { configured } from '../support/make.ts';
import { withFaults } from '../support/requirements.ts';

await suite('redis, client from configuration', configured, {}, withFaults);
