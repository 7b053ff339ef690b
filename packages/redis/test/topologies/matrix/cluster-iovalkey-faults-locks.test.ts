import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../support/requirements.ts';

await clusterSuite({ client: 'iovalkey', only: ofLevel('locks', withFaults) });
