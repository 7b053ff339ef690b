import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import { every, ofTheLayout, selection } from '../support/selection.ts';

suite('zookeeper, semaphore', await startAlone(), { recipe: 'semaphore' }, selection(every, ...ofTheLayout));
