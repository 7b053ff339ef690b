import { startEnsemble } from '../../support/backends.ts';
import { suite } from '../../support/conformance.ts';
import { withoutFaults } from '../../../../conformance/test/support/selection.ts';

suite('zookeeper, three servers', await startEnsemble(), {}, withoutFaults);
