import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import { ofTheLayout } from '../support/selection.ts';

suite('zookeeper, semaphore', await startAlone(), { recipe: 'semaphore' }, ofTheLayout);
