import { suite, withoutFaults } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

suite('zookeeper, not fair', await startAlone(), { fair: false }, withoutFaults);
