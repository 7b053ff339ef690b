import { overMysql2 } from '../../servers/clients.ts';
import { suite } from '../../servers/conformance.ts';
import { conformingMariadb } from '../support/conformance.ts';
import { ofClients } from '../../support/selection.ts';

await suite(conformingMariadb, 'mariadb, over a pool of mysql2', overMysql2, { timeout: 5_000 }, ofClients);
