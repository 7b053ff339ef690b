import { over, suite, withFaults } from '../support/conformance.ts';

await suite('postgres, faults', over, {}, withFaults);
