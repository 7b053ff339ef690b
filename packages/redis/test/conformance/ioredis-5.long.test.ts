import type { Need } from '@locks/conformance';
import { ids, over, suite } from '../support/conformance.ts';
import { clients } from '../support/redis.ts';

// What the two majors of the client might do differently: the rest of the faults happens to the server, or to time.
const ofConnections = new Set<Need>(['processes', 'sever', 'dropReply', 'duplicate']);
const [, [name, open]] = clients;
suite(
  `redis, ${name}`,
  over(open),
  {},
  ids((needs) => needs.every((need) => ofConnections.has(need))),
);
