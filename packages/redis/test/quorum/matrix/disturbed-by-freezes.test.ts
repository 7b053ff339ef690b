import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 3 Redis servers, of which another one stands still each time', {
  count: 3,
  options: { memberTimeout: 500 },
  disturb: 'freeze',
});
