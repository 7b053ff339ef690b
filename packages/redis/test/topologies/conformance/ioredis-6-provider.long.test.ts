import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withoutFaults } from '../../../../conformance/test/support/selection.ts';

await clusterSuite({ client: 'ioredis 6', only: ofLevel('provider', withoutFaults) });
