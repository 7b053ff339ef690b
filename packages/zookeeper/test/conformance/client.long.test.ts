import { startAlone } from '../support/backends.ts';
import { overClient } from '../support/providers.ts';
import { suite } from '../support/conformance.ts';
import { ofTheProviderInOneProcess } from '../support/selection.ts';

suite('zookeeper, node-zookeeper-client', await startAlone(), {}, ofTheProviderInOneProcess, overClient);
