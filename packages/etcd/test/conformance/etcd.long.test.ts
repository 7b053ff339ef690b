import { suite } from '../support/conformance.ts';
import { isWhole, withoutFaults } from '../../../conformance/test/support/selection.ts';

// Without a fault: what a provider answers, and how its users are woken. The rest is about core
// above it, and is the same on every store. A busy disk is no fault: etcd waits for it.
await suite(
  'etcd',
  15_000,
  (one) =>
    withoutFaults(one) && (isWhole || one.level === 'provider' || one.about === 'wake' || one.needs !== undefined),
);
