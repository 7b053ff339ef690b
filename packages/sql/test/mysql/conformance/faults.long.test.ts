import { over, suite } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';
import { withFaults } from '../../../../conformance/test/support/selection.ts';

await suite(conformingMariadb, 'mariadb, faults', over, {}, withFaults);
