import { createRequire } from 'node:module';
import type { PhaseWord } from '@locks/composites';
import { Command } from 'commander';
import { exitCode } from './exit-code.ts';
import { Failure } from './failure.ts';
import { duration, number, slot } from './option-readers.ts';
import { createOutput, harmless } from './output/output.ts';
import type { Output } from './output/output.ts';
import type { RunOptions } from './run/run.ts';
import { keyAndCommand } from './run/words.ts';

/** The commands, as commander reads them. Each is loaded when it is called. */
export function createProgram(command: readonly string[] | undefined): Command {
  const program = new Command('locks')
    .description('Runs commands under locks, and shows who holds what.')
    // A key from a script may be `--help`, and the command would not run, with a code of 0.
    .helpOption(command === undefined)
    .option('--url <url>', 'where the locks are (else LOCKS_URL, LOCKS_CONFIG, or a file of yours)')
    .option('--config <file>', 'a file of JSON that says where the locks are')
    .option('--json', 'one line of JSON for each thing')
    .option('-v, --verbose', 'tell what happens')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(harmless(text)) })
    .addHelpText('after', examples('run backup -- ./backup.sh', 'watch', 'inspect backup'));
  if (command === undefined) program.version(ownVersion());
  addRun(program, command);
  addLooks(program);
  addChecks(program);
  program
    .command('completion')
    .description('print what makes a shell complete commands, options and keys')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', '\nExamples:\n  source <(locks completion bash)\n  locks completion fish | source')
    .action(async (shell: string) => (await import('./commands/completion.ts')).printScript(shell));
  return program;
}

function addRun(program: Command, command: readonly string[] | undefined): void {
  program
    .command('run')
    .description('run a command while it holds the lock KEY')
    .argument('[key]')
    .argument('[command...]')
    .usage('<key> [options] -- COMMAND [ARGS…]')
    .addOption(
      duration('-w, --wait <duration>', 'how long to wait for the lock (default: without end)', ['0', 'Infinity']),
    )
    .addOption(
      duration('--ttl <duration>', 'how long the store keeps it when this process is gone (default: 30s)', [
        '50ms',
        '24h',
      ]),
    )
    .option('--shared', 'share the lock with others that share it')
    .addOption(number('--permits <count>', 'share it with at most so many', 1, 2 ** 31 - 1))
    .addOption(slot('--once <slot>', 'run once in a slot: a name, or every:1h, or every:24h,at:3h'))
    .addOption(
      duration('--at-least <duration>', 'keep the lock for so long, also if the command is done earlier', ['0', '24h']),
    )
    .addOption(
      duration('--grace <duration>', 'between TERM and KILL when the lock is lost', ['0', '12h']).default(5_000, '5s'),
    )
    .addOption(number('-E, --conflict-exit-code <code>', 'the exit code when the lock is not free in time', 0, 255))
    .addHelpText(
      'after',
      examples(
        'run backup -- ./backup.sh --full',
        'run deploy --wait 10m -- make deploy',
        'run report --once every:24h,at:3h -- node report.js',
      ),
    )
    .action(async (given: string | undefined, extra: readonly string[], options: RunOptions, self: Command) => {
      const [key, ...words] = keyAndCommand(given, command);
      if (key === undefined || words.length === 0 || extra.length > 0) {
        const form = 'locks run KEY -- COMMAND ARGS, or locks run -- KEY -- COMMAND ARGS for a key that begins with -';
        throw new Failure(exitCode.usage, `Write -- before the command: ${form}.`);
      }
      checkOnce(options);
      await act(self, async () => (await import('./run/run.ts')).run.bind(undefined, key, words));
    });
}

function checkOnce({ once, wait, shared, permits, atLeast }: RunOptions): void {
  if (once === undefined) return;
  const given = Object.entries({ '--wait': wait, '--shared': shared, '--permits': permits, '--at-least': atLeast });
  const [wrong] = given.find(([, value]) => value !== undefined) ?? [];
  if (wrong === undefined) return;
  throw new Failure(exitCode.usage, `${wrong} has no meaning with --once: it waits for nothing. Leave one out.`);
}

function addLooks(program: Command): void {
  program
    .command('ls')
    .description('list the keys that are held or waited for')
    .argument('[prefix]', 'how their names begin', '')
    .option('-l, --long', 'with the state of each')
    .addHelpText('after', examples('ls', 'ls -l jobs/', 'ls --json | jq -r .key'))
    .action((prefix: string, _: unknown, self: Command) =>
      act(self, async () => (await import('./commands/ls.ts')).ls.bind(undefined, prefix)),
    );
  program
    .command('inspect')
    .description('show who holds KEY, and who waits')
    .argument('<key>')
    .addHelpText('after', examples('inspect backup', "inspect backup --json | jq -r '.holders[].owner'"))
    .action((key: string, _: unknown, self: Command) =>
      act(self, async () => (await import('./commands/inspect.ts')).inspect.bind(undefined, key)),
    );
  program
    .command('watch')
    .description('show a live table of holders and waiters; without a terminal a line for each change')
    .argument('[prefix]', 'how the names of keys begin', '')
    .addOption(duration('-i, --interval <duration>', 'between two looks', ['10ms', '24h']).default(1_000, '1s'))
    .addHelpText('after', examples('watch', 'watch jobs/ --interval 5s', 'watch --json >> changes.jsonl'))
    .action((prefix: string, _: unknown, self: Command) =>
      act(self, async () => (await import('./commands/watch.ts')).watch.bind(undefined, prefix)),
    );
  program
    .command('ui')
    .description('serve a page of holders and waiters to browsers of this host')
    .argument('[prefix]', 'how the names of keys begin', '')
    .addOption(number('--port <port>', 'where it listens', 0, 65_535).default(0, 'a free port'))
    .option('--write', 'the page can break leases')
    .addHelpText('after', examples('ui', 'ui jobs/ --port 4711', 'ui --write --url redis://redis.internal:6379'))
    .action((prefix: string, _: unknown, self: Command) =>
      act(self, async () => (await import('./commands/ui.ts')).ui.bind(undefined, prefix)),
    );
  program
    .command('break')
    .description('end the lease on KEY of a process that hangs, after a question')
    .argument('<key>')
    .option('-y, --yes', 'do not ask')
    .option('--owner <owner>', 'only the lease of this owner, as inspect shows it')
    .addHelpText('after', examples('break backup', 'break backup --yes'))
    .action((key: string, _: unknown, self: Command) =>
      act(self, async () => (await import('./commands/break.ts')).breakKey.bind(undefined, key)),
    );
}

function addChecks(program: Command): void {
  program
    .command('doctor')
    .description('say what the settings of the store mean for locks, and what to do about them')
    .option('--strict', 'exit with 1 for a warning, too')
    .addHelpText('after', examples('doctor --url redis://redis.internal:6379', 'doctor --json --strict'))
    .action((_: unknown, self: Command) => act(self, async () => (await import('./commands/doctor.ts')).doctor));
  program
    .command('bench')
    .description('load the store for some seconds, on keys of its own, and tell how long it takes')
    .addOption(number('--seconds <count>', 'how long', 1, 300).default(5))
    .addHelpText('after', examples('bench', 'bench --seconds 30 --json'))
    .action((_: unknown, self: Command) => act(self, async () => (await import('./commands/bench.ts')).bench));
  program
    .command('check')
    .description('check the store with the conformance suite, on keys of its own')
    .option('--only <ids...>', 'these requirements alone')
    .addOption(
      duration('--ttl <duration>', 'what expiry is tested with; longer for a store that is far (default: 400ms)', [
        '1ms',
        '60s',
      ]),
    )
    .addHelpText('after', examples('check --url redis://redis.internal:6379', 'check --only exclusion-100-way'))
    .action((_: unknown, self: Command) => act(self, async () => (await import('./commands/check.ts')).check));
  const migrate = program.command('migrate').description('look at a move between two stores');
  const processes = number('--processes <count>', 'how many processes there are to be', 1, 100_000);
  migrate
    .command('status')
    .description('show who takes part, and what is in the way of each phase')
    .addOption(processes)
    .addHelpText('after', examples('migrate status --processes 12'))
    .action((_: unknown, self: Command) =>
      act(self, async () => (await import('./commands/migrate.ts')).migrateStatus),
    );
  migrate
    .command('wait')
    .description('wait until all processes are in a phase')
    .addArgument(program.createArgument('<phase>').choices(['from', 'both', 'to', 'from!', 'to!']))
    .addOption(processes)
    .addOption(duration('--timeout <duration>', 'how long to wait (default: 5m)', ['0', '24h']))
    .addHelpText('after', examples('migrate wait both --processes 12'))
    .action((phase: PhaseWord, _: unknown, self: Command) =>
      act(self, async () => (await import('./commands/migrate.ts')).migrateWait.bind(undefined, phase)),
    );
  program
    .command('quorum')
    .description('change the members of a quorum')
    .command('change')
    .description('make the members of the store those of the quorum, before they are deployed')
    .option('--force', 'also where two holders are possible: for a fleet that holds no lock')
    .addHelpText('after', examples('quorum change --url redlock://a,b,c,d'))
    .action((_: unknown, self: Command) =>
      act(self, async () => (await import('./commands/quorum-change.ts')).quorumChange),
    );
  const tables = program.command('tables').description('create, look at or remove the tables of a SQL store');
  for (const [name, description] of [
    ['up', 'create the tables, or bring them up to date'],
    ['status', 'tell whether the tables are there and up to date'],
    ['down', 'remove the tables, after a question'],
  ] as const) {
    const command = tables.command(name).description(description);
    if (name !== 'status') command.option('--print-sql', 'print the SQL, and change nothing');
    if (name === 'down') command.option('-y, --yes', 'do not ask');
    command.action((_: unknown, self: Command) =>
      act(self, async () => (await import('./commands/tables.ts')).tables.bind(undefined, name)),
    );
  }
}

/** Does what `load` gives, with the options of `self` and those of all commands. */
async function act<Options>(
  self: Command,
  load: () => Promise<(options: Options, output: Output) => Promise<number | void>>,
): Promise<void> {
  const options = self.optsWithGlobals<Options & { readonly json?: boolean; readonly verbose?: boolean }>();
  const { json = false, verbose = false } = options;
  const work = await load();
  process.exitCode = (await work(options, createOutput({ json, verbose }))) ?? 0;
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
  return version;
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  locks ${line}`).join('\n')}`;
}
