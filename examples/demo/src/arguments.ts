import { parseArgs } from 'node:util';

export interface Arguments {
  readonly help: boolean;
  /** Missing: a SQLite file that the demo makes and removes. */
  readonly url?: string;
  readonly workers: number;
  readonly updates: number;
}

export const help = `Workers add 1 to one bank balance, by read, pause, write: first without a lock, then with one.

Usage: npm run demo -- [options]

The workers are processes, and one of them is killed while it holds the lock.

  --url <url>      where the lock lives (default: a SQLite file in the temporary folder, removed at the end):
                     sqlite:./file.db
                     postgres://user:password@host/database     makes the tables of the lock where there are none,
                     mysql://user:password@host/database        and leaves them, unless it says ?migrate=false
                     redis://host:port
                     zookeeper://user:password@host:port        or zookeeper://host:port?acl=open; with a session of
                                                                4 s, unless it says ?sessionTimeout=…
                     memory:                                    the workers are tasks of one process, and nobody is killed
  --workers <n>    how many workers, 1 to 64 (default 4)
  --updates <n>    how many updates each makes, 1 to 10000 (default 25)
  --help           print this

Exits with 0 if the run with the lock lost nothing and its fencing tokens strictly increased, with 1 if not or if
the demo could not run, with 2 for wrong options.`;

/** Options that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads the command line. Throws a `UsageError`. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parse(args);
  return {
    help: values.help,
    ...(values.url !== undefined && { url: values.url }),
    workers: count('workers', values.workers, 64),
    updates: count('updates', values.updates, 10_000),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        workers: { type: 'string', default: '4' },
        updates: { type: 'string', default: '25' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function count(name: string, text: string, most: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) {
    throw new UsageError(`Option --${name} must be a whole number from 1 to ${most}, not "${text}".`);
  }
  return number;
}
