import { suite } from '../../support/conformance.ts';
import { startAlone } from '../../support/backends.ts';
import { acrossProcesses } from '../../../../conformance/test/support/selection.ts';

suite('zookeeper, one server, processes', await startAlone(), {}, acrossProcesses);
