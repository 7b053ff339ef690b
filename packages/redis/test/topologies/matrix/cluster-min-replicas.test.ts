import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withoutFaults } from '../../../../conformance/test/support/selection.ts';
import { ofConnections } from '../../support/requirements.ts';

const only = ofLevel('provider', (one) => withoutFaults(one) || ofConnections(one));
await clusterSuite({ client: 'ioredis 6', minReplicas: 1, only });
