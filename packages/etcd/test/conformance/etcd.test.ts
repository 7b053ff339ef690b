import { suite } from '../support/conformance.ts';
import { withoutFaults } from '../support/requirements.ts';

await suite('etcd', withoutFaults);
