import { startEnsemble } from '../../support/backends.ts';
import { suite, withoutFaults } from '../../support/conformance.ts';

suite('zookeeper, three servers', await startEnsemble(), {}, withoutFaults);
