import type { Need } from '@locks/conformance';
import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { ids } from '../support/requirements.ts';
import { clients } from '../support/redis.ts';

// What the two majors of the client might do differently: the rest of the faults happens to the
// server, or to time.
const ofConnections = new Set<Need>(['processes', 'sever', 'dropReply', 'duplicate']);
const [, [name, open]] = clients;
await suite(
  `redis, ${name}`,
  over(open),
  {},
  ids((needs) => needs.every((need) => ofConnections.has(need))),
);
