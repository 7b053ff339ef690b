import { clusterClients } from '../support/cluster.ts';
import { clusterSuite } from '../support/cluster-conformance.ts';
import { ofLevel, withFaults } from '../../support/requirements.ts';

const [[name, open]] = clusterClients;
await clusterSuite(`a Redis Cluster, ${name}, faults`, { open, only: ofLevel('locks', withFaults) });
