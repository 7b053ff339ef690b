import { inOneProcess, suite } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

// alone-locks.long.test.ts has the others.
const quick = inOneProcess.filter((id) => !id.startsWith('locks-'));
suite('zookeeper, one server', await startAlone(), {}, quick);
