import { over, suite, withoutFaults } from '../support/conformance.ts';

await suite('postgres', over, {}, withoutFaults);
