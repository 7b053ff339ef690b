import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';

await suite(conformingPostgres, 'postgres', over, {}, withoutFaults);
