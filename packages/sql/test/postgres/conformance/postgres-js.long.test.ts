import { overPostgresJs } from '../../servers/clients.ts';
import { suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';
import { ofClients } from '../../support/selection.ts';

/**
 * Whether `piece` executes a statement with values, as those of a provider are. The library names
 * statements in its own way.
 */
function isCall(piece: Buffer): boolean {
  return /B[^]{4}\0\w+\0\0\0\0[\x01-\x20]/.test(piece.toString('latin1'));
}

// Each call to a server that says nothing takes this long.
await suite(
  { ...conformingPostgres, dropReply: (proxy) => proxy.dropReply({ when: isCall }) },
  'postgres, over a sql of postgres',
  overPostgresJs,
  { timeout: 5_000 },
  ofClients,
);
