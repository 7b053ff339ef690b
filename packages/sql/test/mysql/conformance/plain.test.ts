import { over, suite, withoutFaults } from '../support/conformance.ts';

await suite('mariadb', over, { timeout: 10_000 }, withoutFaults);
