import { inOneProcess, suite } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

suite('zookeeper, one server', await startAlone(), {}, inOneProcess);
