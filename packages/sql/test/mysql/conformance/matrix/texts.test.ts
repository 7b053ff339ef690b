import { over, suite, withoutFaults } from '../../../servers/conformance.ts';
import { textMariadb } from '../../support/conformance.ts';

await suite(textMariadb, 'mariadb, without routines', over, { timeout: 10_000, routines: false }, withoutFaults);
