import { overPg } from '../../servers/clients.ts';
import { suite } from '../../servers/conformance.ts';
import { every, ofClients, selection } from '../../support/selection.ts';
import { conformingPostgres } from '../support/conformance.ts';

// A short deadline: each call to a server that says nothing takes this long.
await suite(
  conformingPostgres,
  'postgres, over a Pool of pg',
  overPg,
  { timeout: 5_000 },
  selection(every, ...ofClients),
);
