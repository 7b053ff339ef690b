import { over, suite, withoutFaults } from '../support/conformance.ts';

await suite('mariadb', over, {}, withoutFaults);
