import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'node-redis', only: ofLevel('locks', withFaults) });
