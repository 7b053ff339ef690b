import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withoutFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'node-redis', only: ofLevel('locks', withoutFaults) });
