import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../../../conformance/test/support/selection.ts';

await clusterSuite({ client: 'from a URL', only: ofLevel('locks', withFaults) });
