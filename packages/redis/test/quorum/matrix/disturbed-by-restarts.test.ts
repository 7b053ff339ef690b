import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 3 Redis servers, of which another one restarts each time', {
  count: 3,
  options: { memberTimeout: 100 },
  disturb: 'restart',
});
