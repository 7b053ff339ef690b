import { selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';

await suite(conformingPostgres, 'postgres, processes', over, {}, selection(withoutFaults, 'processes-'));
