import type { Result } from '../results.ts';
import { beside, fastest, of, own, ratio } from './choose.ts';
import { atLeast, atMost, judge } from './gate.ts';
import type { Gate, Target } from './gate.ts';
import { quorumTargets } from './quorum.ts';
import { clusterTargets, redisTargets } from './redis.ts';
import { sqlTargets } from './sql.ts';
import { zookeeperTargets } from './zookeeper.ts';

/** The gates for `results`. */
export function evaluateGates(results: readonly Result[]): Gate[] {
  const heap = (result: Result): boolean => of('redis/heap')(result) || of('core/overhead', 'held lease')(result);
  const targets = [
    ...redisTargets,
    ...clusterTargets,
    ...quorumTargets,
    ...sqlTargets,
    ...zookeeperTargets,
    atLeast('memory, uncontended: ≥ 4 × verrou', of('memory/uncontended'), 'ratioToVerrou', 4),
    ...mutexTargets(results),
    atMost('heap per held lease: ≤ 350 B', heap, 'heapBytes', 350, 0),
    atMost('import of @locks/core: ≤ 10 ms over bare Node', of('core/import', '@locks/core'), 'importTime', 10, 1),
  ];
  return judge(targets, results);
}

/** For as many workers as were measured. */
function mutexTargets(results: readonly Result[]): readonly Target[] {
  return ['memory/uncontended', 'memory/contended'].flatMap((scenario) =>
    results.filter(of(scenario)).map(({ concurrency = 0 }) =>
      atLeast(
        `${scenario.replace('/', ', ')}, ${concurrency} worker(s): ≥ 1 × async-mutex, its faster build`,
        of(scenario, own, { concurrency }),
        (ours, all) => {
          const best = fastest(beside(ours, all).filter(({ subject }) => subject.startsWith('async-mutex')));
          return best === undefined ? undefined : ratio(ours.perSecond, best);
        },
        1,
      ),
    ),
  );
}
