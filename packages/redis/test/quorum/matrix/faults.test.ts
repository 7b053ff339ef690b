import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 3 Redis servers, faults', {
  count: 3,
  // Above the timeout of the members, as the docs say.
  options: { memberTimeout: 300, timeout: 2_500 },
  faults: true,
});
