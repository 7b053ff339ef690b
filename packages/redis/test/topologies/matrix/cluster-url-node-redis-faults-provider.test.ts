import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'from a URL, over node-redis', only: ofLevel('provider', withFaults) });
