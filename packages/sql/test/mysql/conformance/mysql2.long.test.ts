import { overMysql2 } from '../../servers/clients.ts';
import { suite } from '../../servers/conformance.ts';
import { every, ofClients, selection } from '../../support/selection.ts';
import { conformingMariadb } from '../support/conformance.ts';

await suite(
  conformingMariadb,
  'mariadb, over a pool of mysql2',
  overMysql2,
  { timeout: 5_000 },
  selection(every, ...ofClients),
);
