import { startAlone } from '../support/backends.ts';
import { overClient } from '../support/client-provider.ts';
import { suite, withFaults } from '../support/conformance.ts';

suite('zookeeper, node-zookeeper-client, faults', await startAlone(), {}, withFaults, overClient);
