import { suite } from '../support/conformance.ts';
import { withoutFaults } from '../support/requirements.ts';

// A busy disk is no fault: etcd waits for it.
await suite('etcd', 15_000, withoutFaults);
