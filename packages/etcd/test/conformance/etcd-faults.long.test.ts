import { suite } from '../support/conformance.ts';
import { withFaults } from '../../../conformance/test/support/selection.ts';

// Each call to a server that says nothing takes this long.
await suite('etcd, faults', 3_000, withFaults);
