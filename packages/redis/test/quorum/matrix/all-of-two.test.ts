import { quorumSuite } from '../support/suite.ts';

await quorumSuite({ count: 2, options: { need: 'all' } });
