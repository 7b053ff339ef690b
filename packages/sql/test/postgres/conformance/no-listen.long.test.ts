import { ofWakes, selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';

await suite(
  conformingPostgres,
  'postgres, without LISTEN, under other names',
  over,
  { listen: false, schema: 'Other', table: 'Lock_Table' },
  selection(withoutFaults, ...ofWakes),
);
