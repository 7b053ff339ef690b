import { clusterClients } from '../support/cluster.ts';
import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withoutFaults } from '../../support/requirements.ts';

const [, [name, open]] = clusterClients;
await clusterSuite(`a Redis Cluster, ${name}`, { open, only: ofLevel('locks', withoutFaults) });
