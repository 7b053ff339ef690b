import { over, suite } from '../../servers/conformance.ts';
import { withoutFaults } from '../../../../conformance/test/support/selection.ts';
import { textPostgres } from '../support/conformance.ts';

await suite(textPostgres, 'postgres, without routines', over, { timeout: 10_000, routines: false }, withoutFaults);
