import { UsageError, numberOption, parse } from '@locks/command-line';

export const suiteNames = ['redis', 'redlock', 'sql', 'zookeeper', 'memory', 'core', 'clients'] as const;
export type SuiteName = (typeof suiteNames)[number];

const scenarios: Readonly<Record<SuiteName, readonly string[]>> = {
  redis: ['uncontended', 'contended', 'total-time', 'renewal', 'heap'],
  redlock: ['uncontended', 'contended', 'frozen'],
  sql: ['uncontended', 'statements', 'listening', 'contended', 'mariadb', 'sqlite'],
  zookeeper: ['uncontended', 'operations', 'contended', 'total-time'],
  memory: ['pairs', 'heap'],
  core: ['import', 'size', 'overhead'],
  clients: ['redis', 'postgres', 'mariadb', 'sqlite', 'zookeeper'],
};

export interface Options {
  readonly suite: SuiteName;
  readonly quick: boolean;
  readonly seed: number;
  readonly only: readonly string[];
  readonly subjects: readonly string[];
  readonly retryDelay: number | undefined;
  readonly json: string | undefined;
  readonly from: string | undefined;
  readonly gates: boolean;
  /** Measures only on a calm machine. */
  readonly calm: boolean;
  /** What one server is compared with. */
  readonly topology: 'cluster' | undefined;
  /** redis: how much longer a round trip takes, in ms. */
  readonly network: number;
  /** sql: how many contend for one key, one table each. */
  readonly waiters: readonly number[];
  /** sql: the delay of a commit of Postgres before it writes to the disk, in ms. */
  readonly commitDelay: number;
}

export const help = `Measures @locks against peers and against the raw client, in one run.

Usage: npm run bench -- redis | redlock | sql | zookeeper | memory | core | clients [options]
       npm run bench -- --from <file>

  --quick              fewer and shorter rounds: for finding defects, not for quoting
  --only <name,…>      these scenarios only, as uncontended (benchmarks/README.md has all)
  --subjects <name,…>  these peers only, beside @locks and the raw client; not for memory, core and clients
  --retry-delay <ms>   between attempts of peers that poll; default: as they document
  --topology cluster   redis only: a Cluster of three masters against one server, in place of peers
  --network <ms>       redis only: a round trip takes so long more, as 0.3; default: 0
  --waiters <n,…>      sql only: so many contend for one key, each a table; default: 100
  --commit-delay <ms>  sql only: Postgres writes to a disk that takes so long more; default: 0
  --seed <n>           of the random order of the subjects; default: a random one, which is printed
  --json <file>        writes all figures there
  --from <file>        reads figures that --json wrote: for their gates
  --gates              exits with 1 when a gate is short
  --calm               waits up to a minute, before each table, until nothing else runs; then refuses
  --help               prints this`;

/** Reads the command line; `undefined`: help is wanted. Throws a `UsageError`. */
export function readCommandLine(args: readonly string[]): Options | undefined {
  const { values, positionals } = parse(args, {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    subjects: { type: 'string' },
    'retry-delay': { type: 'string' },
    seed: { type: 'string' },
    json: { type: 'string' },
    from: { type: 'string' },
    gates: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    topology: { type: 'string' },
    network: { type: 'string' },
    waiters: { type: 'string' },
    'commit-delay': { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return undefined;
  // Results of an earlier run may be of any suite.
  const [suite = values.from === undefined ? undefined : suiteNames[0], ...more] = positionals;
  const name = suiteNames.find((known) => known === suite);
  if (name === undefined || more.length > 0) {
    throw new UsageError(`Say what to measure: ${suiteNames.join(', ')}; not "${positionals.join(' ')}".`);
  }
  const only = list(values.only);
  const unknown = only.filter((scenario) => !scenarios[name].includes(scenario));
  if (unknown.length > 0) {
    throw new UsageError(`Option --only: ${name} has ${scenarios[name].join(', ')}; not "${unknown.join(', ')}".`);
  }
  return {
    suite: name,
    quick: values.quick,
    seed: numberOption('seed', values.seed, 'a whole number') ?? Math.floor(Math.random() * 1e6),
    only,
    subjects: list(values.subjects),
    retryDelay: numberOption('retry-delay', values['retry-delay'], 'a whole number'),
    json: values.json,
    from: values.from,
    gates: values.gates,
    calm: values.calm,
    topology: topologyOf(name, values.topology),
    network: networkOf(name, values.network, values.topology),
    waiters: list(values.waiters ?? '100').map((text) => numberOption('waiters', text, 'a whole number') as number),
    commitDelay: numberOption('commit-delay', values['commit-delay'], 'a whole number') ?? 0,
  };
}

function topologyOf(suite: SuiteName, topology: string | undefined): 'cluster' | undefined {
  if (topology === undefined) return undefined;
  if (suite === 'redis' && topology === 'cluster') return topology;
  throw new UsageError(`Option --topology: redis has cluster, nothing else; not "${suite}" with "${topology}".`);
}

function networkOf(suite: SuiteName, text: string | undefined, topology: string | undefined): number {
  if (text === undefined) return 0;
  const ms = Number(text);
  if (suite === 'redis' && topology === undefined && ms > 0 && ms <= 100) return ms;
  throw new UsageError(`Option --network: redis without --topology has it, as 0.3; not "${suite}" with "${text}".`);
}

function list(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').map((item) => item.trim());
}
