import { configured, suite, withFaults } from '../support/conformance.ts';

await suite('mariadb, pool from configuration', configured, {}, withFaults);
