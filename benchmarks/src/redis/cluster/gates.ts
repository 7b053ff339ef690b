import { atMost, exactly, figuresOf, gate, largest, ofSubject, total } from '../../gates/gate.ts';
import type { Gate } from '../../gates/gate.ts';
import type { Result } from '../../results.ts';
import { onCluster } from './servers.ts';

/** The most additional cost of a Cluster. */
const limit = 1.3;

/** Those of a Cluster against one server. */
export function clusterGates(results: readonly Result[]): Gate[] {
  const contended = ofSubject(results, 'redis-cluster/contended', onCluster);
  // Calls of one tick are one command at one server, where their keys may be in different slots.
  const alone = ofSubject(results, 'redis-cluster/uncontended', onCluster).filter((cell) => cell.concurrency === 1);
  const commands = (cells: readonly Result[]): number | undefined =>
    largest(cells.map((cell) => commandsOf(cell) / commandsOf(sameCell(results, cell))));
  const gaps = figuresOf(contended, ({ ratioToServer }) => ratioToServer);
  const both = results.filter(({ scenario }) => scenario === 'redis-cluster/contended');
  return [
    ...gate(`Cluster, 1 at once: commands per pair ≤ ${limit} × one server`, commands(alone), atMost(limit, 2)),
    ...gate(
      `Cluster, contended: commands per acquisition ≤ ${limit} × one server, in any setting`,
      commands(contended),
      atMost(limit, 2),
    ),
    ...gate(`Cluster, contended: gap p50 ≤ ${limit} × one server, in any setting`, largest(gaps), atMost(limit, 2)),
    ...gate('Cluster, contended: no inversion', total(figuresOf(contended, (r) => r.inversions)), exactly(0, 0)),
    ...gate('Cluster, contended: never two holders', total(figuresOf(both, (r) => r.violations)), exactly(0, 0)),
  ];
}

function commandsOf(cell: Result | undefined): number {
  return cell?.commandsPerAcquisition ?? Number.NaN;
}

function sameCell(results: readonly Result[], cell: Result): Result | undefined {
  return results.find(
    (other) =>
      other.scenario === cell.scenario &&
      other.subject !== cell.subject &&
      other.concurrency === cell.concurrency &&
      other.waiters === cell.waiters &&
      other.processes === cell.processes &&
      other.hold === cell.hold,
  );
}
