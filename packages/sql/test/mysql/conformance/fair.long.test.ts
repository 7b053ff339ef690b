import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

// processes.long.test.ts has the others.
const inOneProcess = withoutFaults.filter((id) => !id.startsWith('processes-'));
await suite(conformingMariadb, 'mariadb', over, { timeout: 10_000 }, inOneProcess);
