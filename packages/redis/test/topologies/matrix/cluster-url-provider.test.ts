import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'from a URL', only: ofLevel('provider', withFaults) });
