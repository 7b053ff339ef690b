import { clusterSuite } from '../support/cluster-conformance.ts';
import { withFaults } from '../../../../conformance/test/support/selection.ts';

await clusterSuite({ client: 'from a URL', only: withFaults });
