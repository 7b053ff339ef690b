import { configured, suite, withFaults } from '../support/conformance.ts';

suite('redis, client from configuration', configured, {}, withFaults);
