import { createDeadline } from '@locks/core/adapter';
import type { AdapterConfig, Deadline } from '@locks/core/adapter';
import type { Dialect } from '../dialect/dialect.ts';
import { endPool } from '../dialect/pools/own-pool.ts';
import type { OwnPool } from '../dialect/pools/own-pool.ts';
import { readConfigOptions } from '../options/config-options.ts';
import type { ReadConfigOptions } from '../options/config-options.ts';
import { dialectOfUrl } from './dialects.ts';

/** An own pool, for a short task. */
export interface Opened {
  readonly dialect: Dialect;
  readonly pool: OwnPool;
  readonly provider: ReadConfigOptions['provider'];
  /** Of `connectTimeout`. */
  readonly deadline: Deadline;
}

/** The result of `work` with the pool of `config`, which is ended afterwards. */
export async function withOwnPool<T>(
  { url: given, options, runtime }: AdapterConfig,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { dialect, url } = dialectOfUrl(given);
  const { provider, connections } = readConfigOptions(options, dialect);
  const pool = await dialect.openPool({ url, options: connections, names: provider.names, runtime });
  const deadline = createDeadline(runtime, connections.connectTimeout, dialect.name);
  try {
    return await work({ dialect, pool, provider, deadline });
  } finally {
    deadline.stop();
    await endPool(pool, runtime);
  }
}
