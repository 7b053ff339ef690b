import { UsageError, numberOption, parse } from '@locks/command-line';

/** What can be put under stress. */
export const backendNames = ['redis', 'postgres', 'mariadb', 'sqlite', 'zookeeper', 'ensemble', 'quorum'] as const;
export type BackendName = (typeof backendNames)[number];

/** What one run is about. */
export interface Options {
  readonly targets: readonly (BackendName | 'self-test')[];
  readonly minutes: number;
  readonly seed: number;
  readonly workers: number;
  readonly flows: number;
  readonly keep: boolean;
}

export const help = `Puts the packed packages under stress: processes, real servers, faults, a log and a checker.

Usage: npm run stress -- <backend> [options]

  <backend>        redis, postgres, mariadb, sqlite, zookeeper (one server), ensemble (three ZooKeepers),
                   quorum (three Redis that come back empty in turn),
                   all (each of these, and self-test first), or self-test (flawed locks must be found out)

  --minutes <n>    how long, per backend; default: 5
  --seed <n>       of the faults and of what workers do; default: a random one, which is printed
  --workers <n>    processes; default: 4
  --flows <n>      flows of each process; default: 4
  --keep           keep the logs of a run without violations too
  --help           prints this`;

/** Reads the command line; `undefined`: help is wanted. Throws a `UsageError`. */
export function readCommandLine(args: readonly string[]): Options | undefined {
  const { values, positionals } = parse(args, {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    flows: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return undefined;
  const [target, ...more] = positionals;
  const targets = targetsOf(target);
  if (targets === undefined || more.length > 0) {
    throw new UsageError(
      `Say what to stress: ${backendNames.join(', ')}, all or self-test; not "${positionals.join(' ')}".`,
    );
  }
  return {
    targets,
    minutes: numberOption('minutes', values.minutes, 'a number above 0') ?? 5,
    seed: numberOption('seed', values.seed, 'a whole number above 0') ?? 1 + Math.floor(Math.random() * 1e6),
    workers: numberOption('workers', values.workers, 'a whole number above 0') ?? 4,
    flows: numberOption('flows', values.flows, 'a whole number above 0') ?? 4,
    keep: values.keep,
  };
}

function targetsOf(target: string | undefined): Options['targets'] | undefined {
  if (target === 'all') return ['self-test', ...backendNames];
  if (target === 'self-test') return ['self-test'];
  const name = backendNames.find((known) => known === target);
  return name === undefined ? undefined : [name];
}
