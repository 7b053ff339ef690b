import { over, suite } from '../../../servers/conformance.ts';
import { withoutFaults } from '../../../../../conformance/test/support/selection.ts';
import { textMariadb } from '../../support/conformance.ts';

await suite(textMariadb, 'mariadb, without routines', over, { timeout: 10_000, routines: false }, withoutFaults);
