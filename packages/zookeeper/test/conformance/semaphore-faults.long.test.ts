import { suite, withFaults } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

suite('zookeeper, semaphore, faults', await startAlone(), { recipe: 'semaphore' }, withFaults);
