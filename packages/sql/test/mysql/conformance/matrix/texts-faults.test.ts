import { over, suite } from '../../../servers/conformance.ts';
import { withFaults } from '../../../../../conformance/test/support/selection.ts';
import { textMariadb } from '../../support/conformance.ts';

// A short deadline: each call to a server that says nothing takes this long.
await suite(textMariadb, 'mariadb, without routines, faults', over, { timeout: 2_000, routines: false }, withFaults);
