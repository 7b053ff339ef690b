import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'ioredis 6', only: ofLevel('provider', withFaults) });
