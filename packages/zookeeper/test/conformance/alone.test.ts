import { suite, withoutFaults } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

suite('zookeeper, one server', await startAlone(), {}, withoutFaults);
