import { createRequire } from 'node:module';
import { Command, Option } from 'commander';
import { Failure, exitCode } from './failure.ts';
import { slotOf } from './jobs/slot-text.ts';
import { duration, number } from './option-readers.ts';
import { createOutput, harmless } from './output/output.ts';
import type { Output } from './output/output.ts';
import type { RunOptions } from './run/run.ts';
import { keyAndCommand } from './run/words.ts';

/** The commands, as commander reads them. Each is loaded when called. */
export function createProgram(command: readonly string[] | undefined): Command {
  const program = new Command('locks')
    .description('Runs commands under locks, and shows who holds what.')
    // A key from a script may be `--help`: the command would not run, and the exit code would be 0.
    .helpOption(command === undefined)
    .option('--url <url>', 'the store (default: LOCKS_URL, LOCKS_CONFIG, or a file of the user)')
    .option('--config <file>', 'a JSON file with the configuration of the store')
    .option('--json', 'one JSON object for each result')
    .option('-v, --verbose', 'report what happens')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(harmless(text)) })
    .addHelpText('after', examples('run backup -- ./backup.sh', 'watch', 'inspect backup'));
  if (command === undefined) program.version(ownVersion());
  addRun(program, command);
  addJobs(program);
  addLooks(program);
  addChecks(program);
  program
    .command('completion')
    .description('print the script that completes commands, options and keys in a shell')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', '\nExamples:\n  source <(locks completion bash)\n  locks completion fish | source')
    .action(async (shell: string) => (await import('./commands/completion.ts')).printScript(shell));
  return program;
}

function addRun(program: Command, command: readonly string[] | undefined): void {
  const load =
    () => async (given: string | undefined, extra: readonly string[], options: RunOptions, output: Output) => {
      const [key, ...words] = keyAndCommand(given, command);
      if (key === undefined || words.length === 0 || extra.length > 0) {
        const form = 'locks run KEY -- COMMAND ARGS, or locks run -- KEY -- COMMAND ARGS for a key that begins with -';
        throw new Failure(exitCode.usage, `Write -- before the command: ${form}.`);
      }
      return await (await import('./run/run.ts')).run(key, words, options, output);
    };
  add(program, 'run', 'run a command under the lock KEY', load, [
    'run backup -- ./backup.sh --full',
    'run deploy --wait 10m -- make deploy',
    'run report --once every:24h,at:3h --retry -- node report.js',
  ])
    .argument('[key]')
    .argument('[command...]')
    .usage('<key> [options] -- COMMAND [ARGS…]')
    .addOption(
      duration('-w, --wait <duration>', 'how long to wait for the lock (default: no limit), or for a run in progress', [
        '0',
        'Infinity',
      ]),
    )
    .addOption(
      duration(
        '--ttl <duration>',
        'how long the store keeps the lock if this process dies (default: 30s; 10s with --once)',
        ['50ms', '24h'],
      ),
    )
    .option('--shared', 'share the lock with others that share it')
    .addOption(number('--permits <count>', 'how many may share the lock', 1, 2 ** 31 - 1))
    .addOption(
      new Option(
        '--once <slot>',
        'run once in a slot: every:24h,at:3h, a time such as 2026-11-29T03:00Z, job:$JOB_NAME of a CronJob, or ever',
      ).argParser(slotOf),
    )
    .addOption(number('--retry [count]', 'how often a failed slot is retried', 1, 1_000).preset('3'))
    .addOption(duration('--retry-after <duration>', 'how long after its end a failed run is retried', ['0', '24h']))
    .addOption(duration('--next <duration>', 'when the next slot is due, for `locks jobs`', ['1s', '8784h']))
    .option('--metrics-file <file>', 'write the last run of the job for Prometheus')
    .addOption(
      duration('--at-least <duration>', 'keep the lock at least this long, even if the command ends earlier', [
        '0',
        '24h',
      ]),
    )
    .addOption(
      duration('--grace <duration>', 'between TERM and KILL when the lock is lost', ['0', '12h']).default(5_000, '5s'),
    )
    .addOption(
      number(
        '-E, --conflict-exit-code <code>',
        'the exit code if the lock is not free in time, or the job runs elsewhere',
        0,
        255,
      ),
    );
}

function addJobs(program: Command): void {
  const load = async () => await import('./commands/jobs.ts');
  const jobs = add(program, 'jobs', 'list jobs with their last runs', async () => (await load()).jobs, [
    'jobs',
    'jobs --check',
    'jobs retry report',
    'jobs --json | jq -r .lastDone',
    'jobs --format prometheus',
  ])
    .argument('[prefix]', 'prefix of the names', '')
    .option('--check', 'exit with 1 if a job has failed, crashed, lost its lock, or is overdue')
    .addOption(new Option('--format <format>', 'for the textfile collector of node_exporter').choices(['prometheus']));
  add(jobs, 'retry', 'open the last slot of JOB again', async () => (await load()).retryJob).argument('<job>');
  add(jobs, 'forget', 'remove the record of JOB, after confirmation', async () => (await load()).forgetJob)
    .argument('<job>')
    .option('-y, --yes', 'do not ask');
}

function addLooks(program: Command): void {
  const ofKeys = 'prefix of the keys';
  add(program, 'ls', 'list the keys that are held or waited for', async () => (await import('./commands/ls.ts')).ls, [
    'ls',
    'ls -l jobs/',
    'ls --json | jq -r .key',
  ])
    .argument('[prefix]', 'prefix of the keys', '')
    .option('-l, --long', 'with the state of each');
  const inspect = async () => (await import('./commands/inspect.ts')).inspect;
  add(program, 'inspect', 'show who holds KEY, and who waits', inspect, [
    'inspect backup',
    "inspect backup --json | jq -r '.holders[].owner'",
  ]).argument('<key>');
  const watch = async () => (await import('./commands/watch.ts')).watch;
  add(program, 'watch', 'show a live table of holders and waiters; without a terminal, print each change', watch, [
    'watch',
    'watch jobs/ --interval 5s',
    'watch --json >> changes.jsonl',
  ])
    .argument('[prefix]', ofKeys, '')
    .addOption(duration('-i, --interval <duration>', 'time between two reads', ['10ms', '24h']).default(1_000, '1s'));
  const ui = async () => (await import('./commands/ui.ts')).ui;
  add(program, 'ui', 'serve a page of holders and waiters to browsers of this host', ui, [
    'ui',
    'ui jobs/ --port 4711',
    'ui --write --url redis://redis.internal:6379',
  ])
    .argument('[prefix]', ofKeys, '')
    .addOption(number('--port <port>', 'port to listen on', 0, 65_535).default(0, 'a free port'))
    .option('--write', 'the page can break leases');
  const breakKey = async () => (await import('./commands/break.ts')).breakKey;
  add(program, 'break', 'end the lease on KEY of a hung process, after confirmation', breakKey, [
    'break backup',
    'break backup --yes',
  ])
    .argument('<key>')
    .option('-y, --yes', 'do not ask')
    .option('--owner <owner>', 'only the lease of this owner, as inspect shows it');
}

function addChecks(program: Command): void {
  const doctor = async () => (await import('./commands/doctor.ts')).doctor;
  add(program, 'doctor', 'check the settings of the store, and say what to change', doctor, [
    'doctor --url redis://redis.internal:6379',
    'doctor --json --strict',
  ]).option('--strict', 'exit with 1 for a warning, too');
  const bench = async () => (await import('./commands/bench.ts')).bench;
  add(program, 'bench', 'measure how fast the store is, on keys of its own', bench, [
    'bench',
    'bench --seconds 30 --json',
  ]).addOption(number('--seconds <count>', 'how long', 1, 300).default(5));
  const check = async () => (await import('./commands/check.ts')).check;
  add(program, 'check', 'check the store with the conformance suite, on keys of its own', check, [
    'check --url redis://redis.internal:6379',
    'check --only exclusion-100-way',
    'check --nemesis --seconds 300',
  ])
    .option('--only <ids...>', 'only these requirements')
    .addOption(
      duration('--ttl <duration>', 'ttl of the expiry tests; longer for a remote store (default: 400ms)', [
        '1ms',
        '60s',
      ]),
    )
    .option('--nemesis', 'attack it instead: own processes take locks; faults of them and of their network')
    .addOption(number('--seconds <count>', 'the duration of the attack (default: 60)', 1, 86_400))
    .addOption(number('--seed <number>', 'the seed of the attack (default: random)', 1, 2 ** 31 - 1));
  const migrate = program.command('migrate').description('show the progress of a migration between two stores');
  const processes = number('--processes <count>', 'the expected number of processes', 1, 100_000);
  const status = async () => (await import('./commands/migrate.ts')).migrateStatus;
  add(migrate, 'status', 'show the processes, and what blocks each phase', status, [
    'migrate status --processes 12',
  ]).addOption(processes);
  const wait = async () => (await import('./commands/migrate.ts')).migrateWait;
  add(migrate, 'wait', 'wait until all processes are in a phase', wait, ['migrate wait both --processes 12'])
    .addArgument(program.createArgument('<phase>').choices(['from', 'both', 'to', 'from!', 'to!']))
    .addOption(processes)
    .addOption(duration('--timeout <duration>', 'how long to wait (default: 5m)', ['0', '24h']));
  const quorum = program.command('quorum').description('change the members of a quorum');
  const change = async () => (await import('./commands/quorum-change.ts')).quorumChange;
  add(quorum, 'change', 'make the members of the store those of the quorum, before they are deployed', change, [
    'quorum change --url redlock://a,b,c,d',
  ]).option('--force', 'even if two holders are possible: for a fleet that holds no lock');
  const tables = program.command('tables').description('create, check or remove the tables of a SQL store');
  for (const [name, description] of [
    ['up', 'create the tables, or bring them up to date'],
    ['status', 'report whether the tables exist and are up to date'],
    ['down', 'remove the tables, after confirmation'],
  ] as const) {
    const load = async () => (await import('./commands/tables.ts')).tables.bind(undefined, name);
    const command = add(tables, name, description, load);
    if (name !== 'status') command.option('--print-sql', 'print the SQL, and change nothing');
    if (name === 'down') command.option('-y, --yes', 'do not ask');
  }
}

/** The implementation of a command: its arguments, its options and the global ones. */
type Work = (...given: never[]) => Promise<number | void>;

/** Adds a command to `parent`. Its implementation is loaded when called. */
function add(
  parent: Command,
  name: string,
  description: string,
  load: () => Work | Promise<Work>,
  lines: readonly string[] = [],
): Command {
  const command = parent.command(name).description(description);
  if (lines.length > 0) command.addHelpText('after', examples(...lines));
  return command.action(async (...given: unknown[]) => {
    const options = command.optsWithGlobals<{ readonly json?: boolean; readonly verbose?: boolean }>();
    const { json = false, verbose = false } = options;
    const work = (await load()) as (...all: unknown[]) => Promise<number | void>;
    // After the arguments, commander passes the options and the command.
    process.exitCode = (await work(...given.slice(0, -2), options, createOutput({ json, verbose }))) ?? 0;
  });
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
  return version;
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  locks ${line}`).join('\n')}`;
}
