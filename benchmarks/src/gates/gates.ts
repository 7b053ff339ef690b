import type { Result } from '../results.ts';
import { atLeast, atMost, figuresOf, gate, largest, ofSubject, own, smallest } from './gate.ts';
import type { Gate } from './gate.ts';
import { clusterGates } from '../redis/cluster/gates.ts';
import { contendedGates, renewalGates, totalTimeGates, uncontendedGates } from '../redis/gates.ts';
import { redlockGates } from '../redlock/gates.ts';
import { sqlGates } from '../sql/gates.ts';
import { zookeeperGates } from '../zookeeper/gates.ts';

/** The gates for `results`. */
export function evaluateGates(results: readonly Result[]): Gate[] {
  const ratios = figuresOf(ofSubject(results, 'memory/uncontended', own), ({ ratioToVerrou }) => ratioToVerrou);
  const leases = [...ofSubject(results, 'redis/heap', own), ...ofSubject(results, 'core/overhead', 'held lease')];
  const imports = figuresOf(ofSubject(results, 'core/import', '@locks/core'), ({ importTime }) => importTime);
  return [
    ...uncontendedGates(results),
    ...contendedGates(results),
    ...totalTimeGates(results),
    ...renewalGates(results),
    ...clusterGates(results),
    ...redlockGates(results),
    ...sqlGates(results),
    ...zookeeperGates(results),
    ...gate('memory, uncontended: ≥ 4 × verrou', smallest(ratios), atLeast(4, 2)),
    ...mutexGates(results),
    ...gate('heap per held lease: ≤ 350 B', largest(figuresOf(leases, ({ heapBytes }) => heapBytes)), atMost(350, 0)),
    ...gate('import of @locks/core: ≤ 10 ms over bare Node', largest(imports), atMost(10, 1)),
  ];
}

function mutexGates(results: readonly Result[]): Gate[] {
  const scenarios = ['memory/uncontended', 'memory/contended'];
  return scenarios.flatMap((scenario) => {
    const peers = ['async-mutex', 'async-mutex, CommonJS'].flatMap((name) => ofSubject(results, scenario, name));
    return ofSubject(results, scenario, own).flatMap(({ concurrency = 0, perSecond = Number.NaN }) => {
      const builds = peers.filter((other) => other.concurrency === concurrency);
      const fastest = largest(builds.flatMap((build) => build.perSecond ?? []));
      const target = `${scenario.replace('/', ', ')}, ${concurrency} worker(s): ≥ 1 × async-mutex, its faster build`;
      return gate(target, fastest && perSecond / fastest, atLeast(1, 2));
    });
  });
}
