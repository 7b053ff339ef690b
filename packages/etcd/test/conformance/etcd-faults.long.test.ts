import { suite } from '../support/conformance.ts';
import { withFaults } from '../support/requirements.ts';

await suite('etcd, faults', withFaults);
