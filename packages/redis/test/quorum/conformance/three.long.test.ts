import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 3 Redis servers', { count: 3 });
