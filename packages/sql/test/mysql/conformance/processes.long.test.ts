import { over, suite } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';
import { acrossProcesses } from '../../../../conformance/test/support/selection.ts';

await suite(conformingMariadb, 'mariadb, processes', over, { timeout: 10_000 }, acrossProcesses);
