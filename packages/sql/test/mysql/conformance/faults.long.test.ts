import { over, suite, withFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

await suite(conformingMariadb, 'mariadb, faults', over, {}, withFaults);
