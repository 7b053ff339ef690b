import { suite } from '../support/conformance.ts';
import { quick } from '../support/requirements.ts';

// A busy disk is no fault: etcd waits for it.
await suite('etcd', 15_000, quick);
