import type { Need } from '@locks/conformance';
import { configured, ids, suite } from '../../servers/conformance.ts';
import { conformingPostgres } from '../support/conformance.ts';

// What a pool of the provider's own might do differently: the rest of the faults happens to the server, or to time.
const ofConnections = new Set<Need>(['processes', 'sever', 'dropReply', 'duplicate']);
await suite(
  conformingPostgres,
  'postgres, by configuration',
  configured,
  {},
  ids((needs) => needs.length > 0 && needs.every((need) => ofConnections.has(need))),
);
