import { quorumSuite } from '../support/suite.ts';

await quorumSuite('a majority of 5 Redis servers', { count: 5 });
