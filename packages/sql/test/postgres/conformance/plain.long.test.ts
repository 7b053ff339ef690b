import { every } from '../../support/selection.ts';
import { over, suite } from '../../servers/conformance.ts';
import { plainPostgres } from '../support/conformance.ts';

// A short deadline: each call to a server that says nothing takes this long.
await suite(plainPostgres, 'postgres, without routines', over, { timeout: 2_000, routines: false }, every);
