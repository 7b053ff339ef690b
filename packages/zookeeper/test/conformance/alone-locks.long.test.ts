import { suite } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';
import { users } from '../../../conformance/test/support/selection.ts';

suite('zookeeper, one server', await startAlone(), {}, users);
