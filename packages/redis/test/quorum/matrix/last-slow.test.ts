import { quorumSuite } from '../support/suite.ts';

await quorumSuite({ count: 3, harms: { 2: 'slow' } });
