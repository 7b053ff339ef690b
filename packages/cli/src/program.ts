import { parseDuration } from '@locks/core/adapter';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { BreakOptions } from './commands/break.ts';
import type { LsOptions } from './commands/ls.ts';
import type { WatchOptions } from './commands/watch.ts';
import { exitCode } from './exit-code.ts';
import { Failure } from './failure.ts';
import { createOutput } from './output/output.ts';
import type { Output } from './output/output.ts';
import type { RunOptions } from './run/run.ts';
import type { StoreOptions } from './store/open-store.ts';

/** The options of all commands. */
interface Common extends StoreOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** The command line without the command of `run`, and that command. */
interface Line {
  readonly own: readonly string[];
  readonly command: readonly string[] | undefined;
}

/** All after the first `--` is of the command that `run` runs, whatever it looks like. */
export function splitLine(words: readonly string[]): Line {
  const at = words.indexOf('--');
  if (at === -1 || words[0] === 'complete') return { own: words, command: undefined };
  return { own: words.slice(0, at), command: words.slice(at + 1) };
}

/** The commands, as commander reads them. */
export function createProgram(command: readonly string[] | undefined): Command {
  const program = new Command('locks');
  program
    .description('Runs commands under locks, and shows who holds what.')
    .option(
      '--url <url>',
      'where the locks are, such as redis://host:6379 (else LOCKS_URL, locks.config.json, or a file of yours)',
    )
    .option('--json', 'one line of JSON for each thing')
    .option('-v, --verbose', 'tell what happens')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', examples(['locks run backup -- ./backup.sh', 'locks watch', 'locks inspect backup']));
  addRun(program, command);
  addLooks(program);
  addBreak(program);
  addCompletionScript(program);
  return program;
}

function addRun(program: Command, command: readonly string[] | undefined): void {
  program
    .command('run')
    .description('run a command while it holds the lock KEY')
    .argument('<key>')
    .argument('[command...]')
    .usage('<key> [options] -- COMMAND [ARGS…]')
    .addOption(duration('-w, --wait <duration>', 'how long to wait for the lock (default: without end)'))
    .addOption(
      duration('--ttl <duration>', 'how long the store keeps the lock when this process is gone (default: 30s)'),
    )
    .option('--shared', 'share the lock with others that share it')
    .addOption(number('--permits <count>', 'share it with at most so many', 1, 2 ** 31 - 1))
    .addOption(
      new Option('--once <slot>', 'run once in a slot: a name, or every:1h, or every:24h,at:3h').argParser(readSlot),
    )
    .addOption(duration('--at-least <duration>', 'keep the lock for so long, also if the command is done earlier'))
    .addOption(duration('--grace <duration>', 'between TERM and KILL when the lock is lost').default(5_000, '5s'))
    .addOption(number('-E, --conflict-exit-code <code>', 'the exit code when the lock is not free in time', 0, 255))
    .addHelpText(
      'after',
      examples([
        'locks run backup -- ./backup.sh --full',
        'locks run deploy --wait 10m -- make deploy',
        'locks run report --once every:24h,at:3h -- node report.js',
      ]),
    )
    .action(async (key: string, words: readonly string[], options: RunOptions, self: Command) => {
      if (command === undefined || command.length === 0 || words.length > 0) {
        throw new Failure(exitCode.usage, 'Write -- before the command: locks run KEY -- COMMAND ARGS.');
      }
      checkOnce(options);
      const { run } = await import('./run/run.ts');
      await run(key, command, { ...options, ...self.optsWithGlobals<Common>() }, outputOf(self));
    });
}

function addLooks(program: Command): void {
  program
    .command('ls')
    .description('list the keys that are held or waited for')
    .argument('[prefix]', 'how their names begin', '')
    .option('-l, --long', 'with the state of each')
    .addHelpText('after', examples(['locks ls', 'locks ls -l jobs/', 'locks ls --json | jq -r .key']))
    .action(async (prefix: string, _: unknown, self: Command) => {
      const { ls } = await import('./commands/ls.ts');
      await ls(prefix, self.optsWithGlobals<LsOptions>(), outputOf(self));
    });
  program
    .command('inspect')
    .description('show who holds KEY, and how many wait')
    .argument('<key>')
    .addHelpText('after', examples(['locks inspect backup', "locks inspect backup --json | jq -r '.holders[].owner'"]))
    .action(async (key: string, _: unknown, self: Command) => {
      const { inspect } = await import('./commands/inspect.ts');
      await inspect(key, self.optsWithGlobals<StoreOptions>(), outputOf(self));
    });
  program
    .command('watch')
    .description('show a live table of holders and waiters; a line for each change where there is no terminal')
    .argument('[prefix]', 'how the names of keys begin', '')
    .addOption(duration('-i, --interval <duration>', 'between two looks').default(1_000, '1s'))
    .addHelpText(
      'after',
      examples(['locks watch', 'locks watch jobs/ --interval 5s', 'locks watch --json >> changes.jsonl']),
    )
    .action(async (prefix: string, _: unknown, self: Command) => {
      const { watch } = await import('./commands/watch.ts');
      await watch(prefix, self.optsWithGlobals<WatchOptions>(), outputOf(self));
    });
}

function addBreak(program: Command): void {
  program
    .command('break')
    .description('end the lease on KEY of a process that hangs, after a question')
    .argument('<key>')
    .option('-y, --yes', 'do not ask')
    .option('--owner <owner>', 'only the lease of this owner, as inspect shows it')
    .addHelpText('after', examples(['locks break backup', 'locks break backup --yes']))
    .action(async (key: string, _: unknown, self: Command) => {
      const { breakKey } = await import('./commands/break.ts');
      process.exitCode = await breakKey(key, self.optsWithGlobals<BreakOptions>(), outputOf(self));
    });
}

function addCompletionScript(program: Command): void {
  program
    .command('completion')
    .description('print what makes a shell complete commands, options and keys')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', examples(['source <(locks completion bash)', 'locks completion fish | source']))
    .action(async (shell: string) => {
      const { printScript } = await import('./commands/completion.ts');
      printScript(shell);
    });
}

/** How the command `self` tells what it has to tell. */
function outputOf(self: Command): Output {
  const { json = false, verbose = false } = self.optsWithGlobals<Common>();
  return createOutput({ json, verbose });
}

function checkOnce({ once, wait, shared, permits, atLeast }: RunOptions): void {
  if (once === undefined) return;
  const given = Object.entries({ '--wait': wait, '--shared': shared, '--permits': permits, '--at-least': atLeast });
  const wrong = given.find(([, value]) => value !== undefined);
  if (wrong === undefined) return;
  throw new Failure(
    exitCode.usage,
    `${wrong[0]} has no meaning with --once: a run in a slot waits for nothing. Leave one out.`,
  );
}

function duration(flags: string, description: string): Option {
  return new Option(flags, description).argParser(readDuration);
}

/** A number alone would be seconds for `timeout`, and ms for the library. */
function readDuration(text: string): number {
  const ms = /^(?:\d.*[a-z]|0|Infinity)$/.test(text) ? parseDuration(text) : undefined;
  if (ms === undefined) throw new InvalidArgumentError('Write a duration with its unit: 500ms, 30s, 5m or 1h.');
  return ms;
}

function number(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, description).argParser((text) => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  });
}

/** `every:1h`, `every:24h,at:3h`, or the name of a slot. */
function readSlot(text: string): RunOptions['once'] {
  if (!text.startsWith('every:')) return text;
  const [, every = '', at] = /^every:([^,]+)(?:,at:([^,]+))?$/.exec(text) ?? [];
  return { every: readDuration(every), at: at === undefined ? undefined : readDuration(at) };
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
