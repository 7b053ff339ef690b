import { duration, matching, readOptions } from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource } from '@locks/core/adapter';

/** Options of the etcd provider. */
export interface EtcdOptions {
  /**
   * The prefix of the provider's keys in etcd: `<prefix>/claims/…`. The same in all services that
   * share locks. @default 'locks'
   */
  readonly prefix?: string | undefined;
  /** Each call settles within this time. @default 5_000 ms */
  readonly timeout?: Duration | undefined;
  /**
   * How long a position in the queue lasts without a repeat, rounded up to seconds. Waiters repeat
   * after a third of it. @default 6_000 ms
   */
  readonly waiterTtl?: Duration | undefined;
}

/** How the options are checked. */
export const etcdReaders: OptionReaders<EtcdOptions> = {
  prefix: matching(/^[^\0\s]{1,200}$/, '1 to 200 characters without spaces'),
  timeout: duration(10, 600_000),
  waiterTtl: duration(300, 86_400_000),
};

/** Where the options of this package come from, for messages. */
export const source: OptionSource = { where: '@locks/etcd', code: 'LOCK_MISCONFIGURED', text: true };

/** The options with their defaults. */
export interface ReadEtcdOptions {
  readonly prefix: string;
  readonly timeout: number;
  readonly waiterTtl: number;
}

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readEtcdOptions(options: EtcdOptions): ReadEtcdOptions {
  const { prefix = 'locks', timeout = 5_000, waiterTtl = 6_000 } = readOptions(etcdReaders, options, source);
  return { prefix, timeout, waiterTtl };
}
