import { startAlone } from '../support/backends.ts';
import { overClient } from '../support/providers.ts';
import { suite } from '../support/conformance.ts';
import { ofClientFaults } from '../support/selection.ts';

suite('zookeeper, node-zookeeper-client, faults', await startAlone(), {}, ofClientFaults, overClient);
