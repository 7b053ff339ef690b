import { ofTheLine, selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

await suite(
  conformingMariadb,
  'mariadb, under other names',
  over,
  { timeout: 10_000, schema: 'Other', table: 'Lock_Table' },
  selection(withoutFaults, ...ofTheLine),
);
