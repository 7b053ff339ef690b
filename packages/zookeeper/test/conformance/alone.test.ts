import { suite } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';
import { answers } from '../../../conformance/test/support/selection.ts';

// alone-locks.long.test.ts has the others.
suite('zookeeper, one server', await startAlone(), {}, answers);
