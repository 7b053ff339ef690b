import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 3 Redis servers, faults', {
  count: 3,
  options: { memberTimeout: 300, timeout: 2_000 },
  faults: true,
});
