import { ofWakes, selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../support/conformance.ts';

await suite(
  'postgres, without LISTEN, under other names',
  over,
  { listen: false, schema: 'Other', table: 'Lock_Table' },
  selection(withoutFaults, ...ofWakes),
);
