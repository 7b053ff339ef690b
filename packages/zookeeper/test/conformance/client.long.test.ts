import { startAlone } from '../support/backends.ts';
import { overClient } from '../support/client-provider.ts';
import { inOneProcess, suite } from '../support/conformance.ts';

suite('zookeeper, node-zookeeper-client', await startAlone(), {}, inOneProcess, overClient);
