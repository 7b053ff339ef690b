import { over, suite } from '../../servers/conformance.ts';
import { plainPostgres } from '../support/conformance.ts';
import { ofHoldsAndConnections } from '../../support/selection.ts';

await suite(
  plainPostgres,
  'postgres, without routines',
  over,
  { timeout: 10_000, routines: false },
  ofHoldsAndConnections,
);
