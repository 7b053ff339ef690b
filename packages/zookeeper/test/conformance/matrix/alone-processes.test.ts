import { acrossProcesses, suite } from '../../support/conformance.ts';
import { startAlone } from '../../support/backends.ts';

suite('zookeeper, one server, processes', await startAlone(), {}, acrossProcesses);
