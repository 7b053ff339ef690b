import { suite } from '../../support/conformance.ts';
import { startAlone } from '../../support/backends.ts';
import { withFaults } from '../../../../conformance/test/support/selection.ts';

suite('zookeeper, one server, faults', await startAlone(), {}, withFaults);
