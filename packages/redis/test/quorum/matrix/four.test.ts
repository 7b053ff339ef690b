import { quorumSuite } from '../support/suite.ts';

await quorumSuite({ count: 4 });
