import { over, suite, withFaults } from '../support/conformance.ts';

await suite('mariadb, faults', over, {}, withFaults);
