import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';

// processes.long.test.ts has the others.
const inOneProcess = withoutFaults.filter((id) => !id.startsWith('processes-'));
await suite(conformingPostgres, 'postgres', over, {}, inOneProcess);
