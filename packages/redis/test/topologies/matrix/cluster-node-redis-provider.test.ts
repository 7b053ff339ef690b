import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel } from '../../../../conformance/test/support/selection.ts';

await clusterSuite({ client: 'node-redis', only: ofLevel('provider', () => true) });
