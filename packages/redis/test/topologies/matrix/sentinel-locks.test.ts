import type { Need } from '@locks/conformance';
import { ids, ofLevel } from '../../support/requirements.ts';
import { sentinelSuite } from '../support/sentinel-conformance.ts';

// A stop of all servers is the subject of other files: Sentinels would act on it.
const ofConnections = new Set<Need>([
  ...(['processes', 'createOther'] as const),
  ...(['sever', 'silence', 'dropReply', 'delay', 'duplicate'] as const),
]);
const chosen = ids((needs) => needs.every((need) => ofConnections.has(need)));
await sentinelSuite('Redis with Sentinels, ioredis 6', ofLevel('locks', chosen));
