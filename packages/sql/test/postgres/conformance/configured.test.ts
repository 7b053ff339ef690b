import type { Need } from '@locks/conformance';
import { configured, ids, suite } from '../support/conformance.ts';

// What a pool of the provider's own might do differently: the rest of the faults happens to the server, or to time.
const ofConnections = new Set<Need>(['sever', 'dropReply', 'duplicate']);
await suite(
  'postgres, by configuration',
  configured,
  {},
  ids((needs) => needs.every((need) => ofConnections.has(need))),
);
