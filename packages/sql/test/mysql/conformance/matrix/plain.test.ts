import { over, suite } from '../../../servers/conformance.ts';
import { withoutFaults } from '../../../support/selection.ts';
import { plainMariadb } from '../../support/conformance.ts';

await suite(plainMariadb, 'mariadb, without routines', over, { timeout: 10_000, routines: false }, withoutFaults);
