import { suite, withFaults } from '../../support/conformance.ts';
import { startAlone } from '../../support/backends.ts';

suite('zookeeper, one server, faults', await startAlone(), {}, withFaults);
