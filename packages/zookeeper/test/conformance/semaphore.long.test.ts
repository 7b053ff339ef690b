import { suite, withoutFaults } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';
import { ofTheProvider } from '../support/selection.ts';

suite('zookeeper, semaphore', await startAlone(), { recipe: 'semaphore' }, ofTheProvider(withoutFaults));
