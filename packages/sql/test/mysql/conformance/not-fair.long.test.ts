import { ofTheLine, selection } from '../../support/selection.ts';
import { over, suite, withoutFaults } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';

await suite(
  conformingMariadb,
  'mariadb, not fair, under other names',
  over,
  { timeout: 10_000, fair: false, schema: 'Other', table: 'Lock_Table' },
  selection(withoutFaults, ...ofTheLine),
);
