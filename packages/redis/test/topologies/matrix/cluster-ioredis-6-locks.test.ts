import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel } from '../../../../conformance/test/support/selection.ts';

await clusterSuite({ client: 'ioredis 6', only: ofLevel('locks', () => true) });
