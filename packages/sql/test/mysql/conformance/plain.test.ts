import { over, suite, withoutFaults } from '../support/conformance.ts';

await suite('mariadb', over, { timeout: 5_000 }, withoutFaults);
