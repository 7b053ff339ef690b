import { quorumSuite } from '../support/suite.ts';

await quorumSuite({
  count: 3,
  // A queue keeps its order while its member answers within `memberTimeout`: it is far above the
  // standstill of a requirement, also on a loaded machine. `timeout` is above that of the members,
  // as the docs say.
  options: { memberTimeout: 1_500, timeout: 4_000 },
  faults: true,
});
