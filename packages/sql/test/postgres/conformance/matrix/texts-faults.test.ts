import { over, suite } from '../../../servers/conformance.ts';
import { withFaults } from '../../../../../conformance/test/support/selection.ts';
import { textPostgres } from '../../support/conformance.ts';

// A short deadline: each call to a server that says nothing takes this long.
await suite(textPostgres, 'postgres, without routines, faults', over, { timeout: 2_000, routines: false }, withFaults);
