import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import { ofTheLayout } from '../support/selection.ts';

const backend = await startAlone();
suite('zookeeper, read-write', backend, { recipe: 'read-write' }, ofTheLayout);
suite('zookeeper, semaphore', await startAlone(), { recipe: 'semaphore' }, ofTheLayout);
