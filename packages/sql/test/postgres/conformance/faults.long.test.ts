import { over, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { withFaults } from '../../../../conformance/test/support/selection.ts';

// A short deadline: each call to a server that says nothing takes this long.
await suite(conformingPostgres, 'postgres, faults', over, { timeout: 2_000 }, withFaults);
