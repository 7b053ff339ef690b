import { suite, withoutFaults } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';
import { ofTheLayout, ofTheProvider, selection } from '../support/selection.ts';

const chosen = selection(ofTheProvider(withoutFaults), ...ofTheLayout);
suite('zookeeper, semaphore', await startAlone(), { recipe: 'semaphore' }, chosen);
