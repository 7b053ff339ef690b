import { startEnsemble } from '../../support/backends.ts';
import { suite, withFaults } from '../../support/conformance.ts';

suite('zookeeper, three servers, faults', await startEnsemble(), {}, withFaults);
