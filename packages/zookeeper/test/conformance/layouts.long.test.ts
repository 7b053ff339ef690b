import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import { every, ofTheLayout, selection } from '../support/selection.ts';

const backend = await startAlone();
suite('zookeeper, read-write', backend, { recipe: 'read-write' }, selection(every, ...ofTheLayout));
suite('zookeeper, not fair', backend, { fair: false }, selection(every, ...ofTheLayout));
