import { overPg } from '../../servers/clients.ts';
import { suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { ofClients } from '../../support/selection.ts';

// A short deadline: each call to a server that says nothing takes this long.
await suite(conformingPostgres, 'postgres, over a Pool of pg', overPg, { timeout: 5_000 }, ofClients);
