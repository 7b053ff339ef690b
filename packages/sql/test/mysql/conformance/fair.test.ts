import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

await suite(conformingMariadb, 'mariadb', over, { timeout: 10_000 }, withoutFaults);
