import { startEnsemble } from '../../support/backends.ts';
import { suite } from '../../support/conformance.ts';
import { withFaults } from '../../../../conformance/test/support/selection.ts';

suite('zookeeper, three servers, faults', await startEnsemble(), {}, withFaults);
