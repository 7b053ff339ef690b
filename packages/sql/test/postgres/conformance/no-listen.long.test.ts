import { over, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { ofWakes } from '../../support/selection.ts';

await suite(
  conformingPostgres,
  'postgres, without LISTEN, under other names',
  over,
  { listen: false, schema: 'Other', table: 'Lock_Table' },
  ofWakes,
);
