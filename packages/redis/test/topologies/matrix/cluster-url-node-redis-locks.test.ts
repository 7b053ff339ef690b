import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withoutFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'from a URL, over node-redis', only: ofLevel('locks', withoutFaults) });
