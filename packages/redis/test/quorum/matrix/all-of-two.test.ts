import { quorumSuite } from '../support/suite.ts';

await quorumSuite('all of 2 Redis servers', { count: 2, options: { need: 'all' } });
