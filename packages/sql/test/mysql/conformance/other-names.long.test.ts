import { over, suite } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';
import { ofTheQueue } from '../../support/selection.ts';

await suite(
  conformingMariadb,
  'mariadb, under other names',
  over,
  { timeout: 10_000, schema: 'Other', table: 'Lock_Table' },
  ofTheQueue,
);
