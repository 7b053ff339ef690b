import { overExecutor } from '../../servers/clients.ts';
import { suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { ofClients } from '../../support/selection.ts';

// Each call to a server that says nothing takes this long.
await suite(conformingPostgres, 'postgres, over an executor', overExecutor, { timeout: 5_000 }, ofClients);
