import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { ofLevel } from '../../support/selection.ts';
import { conformingPostgres } from '../support/conformance.ts';

// fair-locks.long.test.ts and processes.long.test.ts have the others.
const quick = ofLevel('provider').filter((id) => withoutFaults.includes(id) && !id.startsWith('processes-'));
await suite(conformingPostgres, 'postgres', over, {}, quick);
