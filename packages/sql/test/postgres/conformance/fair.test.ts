import { over, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { answers } from '../../../../conformance/test/support/selection.ts';

// fair-locks.long.test.ts and processes.long.test.ts have the others.
await suite(conformingPostgres, 'postgres', over, {}, answers);
