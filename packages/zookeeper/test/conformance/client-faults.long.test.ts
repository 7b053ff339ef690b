import { startAlone } from '../support/backends.ts';
import { overClient } from '../support/client-provider.ts';
import { suite, withFaults } from '../support/conformance.ts';
import { selection } from '../support/selection.ts';

// What a cut or a silence of its socket does to it.
const chosen = selection(withFaults, 'sever-', 'lost-reply', 'silence-', 'locks-sever', 'restart-');
suite('zookeeper, node-zookeeper-client, faults', await startAlone(), {}, chosen, overClient);
