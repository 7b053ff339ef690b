import { createUi } from '@locks/ui';
import type { Output } from '../output/output.ts';
import { leaveBy } from '../run/leave.ts';
import { catchStopSignals } from '../run/stop-signals.ts';
import { openStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { serveLocally } from '../ui/local-server.ts';

/** Options of `locks ui`. */
export interface PageOptions extends StoreOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Whether the page can break leases. */
  readonly write?: boolean | undefined;
}

/** Serves a page of the keys with `prefix` to browsers of this host, until the process is ended. */
export async function ui(
  prefix: string,
  { port, write = false, ...options }: PageOptions,
  output: Output,
): Promise<never> {
  const stop = catchStopSignals(leaveBy);
  const locks = await openStore(options, output);
  const { url, close } = await serveLocally((basePath) => createUi({ locks, prefix, write, basePath }), port);
  await output.print(url, { url });
  const rights = write ? 'The page can break leases.' : 'The page is read-only: --write lets it break leases.';
  output.say(`${rights} Ctrl-C ends it.`, { event: 'serving', write });
  if (!stop.aborted.aborted) await new Promise((resolve) => stop.aborted.addEventListener('abort', resolve));
  await close();
  await locks.close();
  return leaveBy(stop.caught() ?? 'SIGTERM');
}
