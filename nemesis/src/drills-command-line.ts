import { UsageError, numberOption, parse } from '@locks/command-line';

/** What can be put under stress. */
export const backendNames = [
  'redis',
  'postgres',
  'mariadb',
  'table',
  'sqlite',
  'zookeeper',
  'ensemble',
  'etcd',
  'quorum',
] as const;
export type BackendName = (typeof backendNames)[number];

/** What of a migration can be taken out, to see that the checker finds it. */
export const flawNames = ['look', 'cap', 'compare'] as const;
export type FlawName = (typeof flawNames)[number];

/** Targets without a backend of their own. */
const scenarios = ['self-test', 'migration', 'deploys'] as const;
export type TargetName = BackendName | (typeof scenarios)[number];

/** What one run is about. */
export interface Options {
  readonly targets: readonly TargetName[];
  readonly minutes: number;
  readonly seed: number;
  readonly workers: number;
  readonly flows: number;
  readonly keep: boolean;
  /** Of `migration` alone. */
  readonly without: FlawName | undefined;
  readonly figures: string | undefined;
}

export const help = `Puts the packed packages under stress: processes, real servers, faults, a log and a checker.

Usage: npm run stress -- <backend> [options]

  <backend>        redis, postgres, mariadb, table (Postgres without routines), sqlite,
                   zookeeper (one server), ensemble (three ZooKeepers), etcd,
                   quorum (three Redis that come back empty in turn),
                   deploys (locks that go from store to store by three deploys, and back),
                   migration (locks that go from store to store under a running fleet),
                   all (each of these, and self-test first), or self-test (flawed locks must be found out)

  --minutes <n>    how long, per backend; default: 5
  --seconds <n>    the same in seconds
  --seed <n>       of the faults and of what workers do; default: a random one, which is printed
  --workers <n>    processes; default: 4
  --flows <n>      flows of each process; default: 4
  --keep           keep the logs of a run without violations too
  --without <rule> of a migration: takes look, cap or compare out of the code, which must be found out
  --figures <file> of a migration: writes figures there, which npm run bench -- --from draws
  --help           prints this`;

/** Reads the command line; `undefined`: help is wanted. Throws a `UsageError`. */
export function readCommandLine(args: readonly string[]): Options | undefined {
  const { values, positionals } = parse(args, {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    without: { type: 'string' },
    figures: { type: 'string' },
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
      `Say what to stress: ${[...backendNames, ...scenarios].join(', ')} or all; not "${positionals.join(' ')}".`,
    );
  }
  const { without, figures } = values;
  for (const [name, value] of Object.entries({ without, figures })) {
    if (value !== undefined && target !== 'migration') throw new UsageError(`Option --${name} is for migration alone.`);
  }
  const flaw = flawNames.find((known) => known === without);
  if (without !== undefined && flaw === undefined) {
    throw new UsageError(`Option --without must be ${flawNames.join(', ')}, not "${without}".`);
  }
  const seconds = numberOption('seconds', values.seconds, 'a number above 0');
  return {
    targets,
    minutes: seconds === undefined ? (numberOption('minutes', values.minutes, 'a number above 0') ?? 5) : seconds / 60,
    seed: numberOption('seed', values.seed, 'a whole number above 0') ?? 1 + Math.floor(Math.random() * 1e6),
    workers: numberOption('workers', values.workers, 'a whole number above 0') ?? 4,
    flows: numberOption('flows', values.flows, 'a whole number above 0') ?? 4,
    keep: values.keep,
    without: flaw,
    figures,
  };
}

function targetsOf(target: string | undefined): Options['targets'] | undefined {
  // The longest ones first: two go on at a time.
  if (target === 'all') return ['migration', 'deploys', 'self-test', ...backendNames];
  const name = [...backendNames, ...scenarios].find((known) => known === target);
  return name === undefined ? undefined : [name];
}
