import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { plainPostgres } from '../support/conformance.ts';

await suite(plainPostgres, 'postgres, without routines', over, { timeout: 10_000, routines: false }, withoutFaults);
