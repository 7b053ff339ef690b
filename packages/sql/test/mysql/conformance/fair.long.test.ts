import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { ofLevel, selection } from '../../support/selection.ts';
import { conformingMariadb } from '../support/conformance.ts';

// processes.long.test.ts has the others. What users see is that of core, but how they are woken.
const inOneProcess = withoutFaults.filter((id) => !id.startsWith('processes-'));
const answers = inOneProcess.filter((id) => ofLevel('provider').includes(id));
const chosen = selection(inOneProcess, ...answers, 'locks-wake');
await suite(conformingMariadb, 'mariadb', over, { timeout: 10_000 }, chosen);
