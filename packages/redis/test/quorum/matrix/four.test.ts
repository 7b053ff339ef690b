import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 4 Redis servers', { count: 4 });
