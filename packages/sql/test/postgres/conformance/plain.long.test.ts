import { ofConnections, ofHolds, selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { plainPostgres } from '../support/conformance.ts';

const chosen = selection(withoutFaults, ...ofHolds, ...ofConnections, 'processes-');
await suite(plainPostgres, 'postgres, without routines', over, { timeout: 10_000, routines: false }, chosen);
