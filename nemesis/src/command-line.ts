import { UsageError, numberOption, parse } from '@locks/command-line';

/** The parameters of one run. */
export interface Options {
  /** Names of targets, or `list`, which prints them. */
  readonly stores: readonly string[] | 'list';
  readonly client: string | undefined;
  readonly faults: readonly string[] | undefined;
  readonly seconds: number;
  readonly seed: number;
  readonly workers: number | undefined;
  readonly flows: number | undefined;
  readonly shrink: number | undefined;
  readonly replay: string | undefined;
  /** The name of a defect, or `all`. */
  readonly planted: string | undefined;
  readonly weekly: boolean;
  readonly table: boolean;
}

export const help = `Attacks locks in the packed packages with every call and fault, on real servers.

Usage: npm run nemesis -- --store <store> [options]
       npm run nemesis -- --planted <name> | --weekly | --table | --list

  --store <names>    what is attacked, separated by commas, or all
  --list             prints the stores, their clients and their faults
  --client <name>    the way in which all workers open their locks; default: each way is drawn
  --faults <kinds>   only these, separated by commas, or none
  --seconds <n>      how long, per store; default: 60
  --seed <n>         what all is drawn from; default: a random one, which is printed
  --workers <n>      processes; default: 4
  --flows <n>        flows of each process; default: 4
  --shrink <n>       how long a failure is shrunk, in seconds; default: 300
  --replay <file>    runs the script that a failure left
  --planted <name>   plants a defect, or each of them (all), and tells how soon it is found
  --weekly           runs the cells of the matrix that were not run for longest, for --seconds
  --table            writes what the results show into docs/safety.md
  --help             prints this`;

/** Reads the command line; `undefined`: help is wanted. Throws a `UsageError`. */
export function readCommandLine(args: readonly string[], known: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parse(args, {
    ...{ store: text, client: text, faults: text, seconds: text, seed: text, workers: text, flows: text },
    ...{ shrink: text, replay: text, planted: text },
    ...{ list: flag, weekly: flag, table: flag, help: flag },
  });
  if (values.help) return undefined;
  const stores = values.store === 'all' ? known : (values.store?.split(',') ?? []);
  const others = values.list || values.weekly || values.table || values.planted !== undefined;
  const wrong = stores.find((store) => !known.includes(store));
  if (wrong !== undefined || positionals.length > 0 || (stores.length === 0 && !others)) {
    const what = wrong ?? positionals.join(' ');
    throw new UsageError(`Say what to attack: --store ${known.join(', ')} or all; not "${what}".`);
  }
  if (values.replay !== undefined && stores.length > 1) throw new UsageError('Option --replay is for one store.');
  const whole = (name: 'seed' | 'workers' | 'flows'): number | undefined =>
    numberOption(name, values[name], 'a whole number above 0');
  return {
    stores: values.list ? 'list' : stores,
    client: values.client,
    faults: values.faults?.split(','),
    seconds: numberOption('seconds', values.seconds, 'a number above 0') ?? 60,
    seed: whole('seed') ?? 1 + Math.floor(Math.random() * 1e6),
    workers: whole('workers'),
    flows: whole('flows'),
    shrink: numberOption('shrink', values.shrink, 'a whole number'),
    replay: values.replay,
    planted: values.planted,
    weekly: values.weekly,
    table: values.table,
  };
}
