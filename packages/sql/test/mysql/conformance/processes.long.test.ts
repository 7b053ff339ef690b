import { selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

await suite(conformingMariadb, 'mariadb, processes', over, { timeout: 10_000 }, selection(withoutFaults, 'processes-'));
