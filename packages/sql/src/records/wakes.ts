import type { RecordStore, Runtime } from '@locks/core/adapter';
import type { TableCalls } from '../connections/table-calls.ts';
import { proveListening } from '../queue/prove-listening.ts';
import { wakeReports } from '../queue/wake-reports.ts';
import type { TextListening } from '../dialect/stores/text-table.ts';

/**
 * How many keys are read together if a wake does not name its key. With more, wakes of a process
 * that waits for that many cost more reads; with fewer, a transfer is one statement slower.
 */
const fewKeys = 8;

export interface WakesParts {
  /** The provider's name. */
  readonly name: string;
  readonly listening: TextListening;
  readonly calls: TableCalls;
  readonly runtime: Runtime;
}

/** What claims of this process wait for. */
interface Watcher {
  readonly key: string;
  /** The version at the last wake. */
  version: string | undefined;
  readonly changed: () => void;
  readonly lost: (reason: unknown) => void;
}

/** A listener, from its request on. */
interface Opening {
  /** Resolves when it has received a wake of its own process. */
  readonly proven: Promise<void>;
  stop(reason: unknown): void;
}

/** The wakes of one process: it listens once for all keys, from the first waiting claim on. */
export function createWakes({ name, listening, calls, runtime }: WakesParts): {
  readonly watch: NonNullable<RecordStore['watch']>;
  close(): void;
} {
  const report = wakeReports(name);
  const watchers = new Set<Watcher>();
  let opening: Opening | undefined;
  let looking = false;
  let again = false;

  const listen = proveListening({
    listen: async (hear, lost) => ({
      probe: async () => {},
      close: await listening.listen((key = '') => hear(key), lost),
    }),
    unheard: listening.unheard,
    echo: () => calls.run((connection) => listening.echo(connection), { what: 'a wake' }),
    runtime,
    report,
  });
  const lose = (reason: unknown): void => {
    opening?.stop(reason);
    opening = undefined;
    report('polling', reason);
    const all = [...watchers];
    watchers.clear();
    for (const { lost } of all) lost(reason);
  };

  /** One statement costs less than a read of each key. */
  const look = async (): Promise<void> => {
    const keys = [...watchers].map(({ key }) => key);
    let found: ReadonlyMap<string, string> | undefined;
    try {
      found = await calls.run(async (connection) => await listening.versions?.(connection, keys), { what: 'a look' });
    } catch {
      // Each key is read then, and reports the error.
    }
    for (const watcher of watchers) {
      const version = found?.get(watcher.key);
      if (found !== undefined && version === watcher.version) continue;
      watcher.version = version;
      watcher.changed();
    }
  };
  const heard = async (woken?: string): Promise<void> => {
    if (woken !== undefined || watchers.size <= fewKeys) {
      for (const { key, changed } of watchers) if (woken === undefined || key === woken) changed();
      return;
    }
    again = true;
    if (looking) return;
    looking = true;
    while (again) {
      again = false;
      await look();
    }
    looking = false;
  };

  const open = (): Opening => {
    const over = new AbortController();
    const lost = (reason: unknown): void => {
      if (!over.signal.aborted) lose(reason);
    };
    let prove = (): void => {};
    let refuse = (_reason: unknown): void => {};
    const proven = new Promise<void>((resolve, reject) => ([prove, refuse] = [resolve, reject]));
    proven.catch(() => {});
    let hears = false;
    const hear = (key: string | undefined): void => {
      if (hears) void heard(key);
      hears = true;
      prove();
    };
    const listener = listen(hear, lost, over.signal);
    listener.catch(lost);
    return {
      proven,
      stop(reason) {
        over.abort();
        refuse(reason);
        void listener.then(
          ({ close }) => close(),
          () => {},
        );
      },
    };
  };

  return {
    async watch(key, changed, lost) {
      await (opening ??= open()).proven;
      report('listening', undefined);
      const watcher: Watcher = { key, version: undefined, changed, lost };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    close() {
      opening?.stop(new Error('the provider is closed'));
    },
  };
}
