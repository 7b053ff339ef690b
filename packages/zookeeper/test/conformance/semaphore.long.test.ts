import { suite, withoutFaults } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

suite('zookeeper, semaphore', await startAlone(), { recipe: 'semaphore' }, withoutFaults);
