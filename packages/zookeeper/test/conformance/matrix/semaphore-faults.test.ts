import { suite, withFaults } from '../../support/conformance.ts';
import { startAlone } from '../../support/backends.ts';
import { ofTheProvider } from '../../support/selection.ts';

suite('zookeeper, semaphore, faults', await startAlone(), { recipe: 'semaphore' }, ofTheProvider(withFaults));
