import { startAlone } from '../support/backends.ts';
import { overClient } from '../support/client-provider.ts';
import { inOneProcess, suite } from '../support/conformance.ts';
import { ofTheProvider } from '../support/selection.ts';

suite('zookeeper, node-zookeeper-client', await startAlone(), {}, ofTheProvider(inOneProcess), overClient);
