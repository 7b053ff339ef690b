import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 3 Redis servers, the first of which is slow', {
  count: 3,
  options: { memberTimeout: 500 },
  harms: { 0: 'slow' },
});
