import type { Locks } from '@locks/core';
import { flag, matching, misconfigured, readOptions, withMethods } from '@locks/core/adapter';
import type { OptionReaders, OptionSource } from '@locks/core/adapter';

/** What the page needs of the client. Without `job` it shows no states of jobs. */
export type ShownLocks = Pick<Locks, 'name' | 'inspect' | 'list' | 'forceRelease'> & Partial<Pick<Locks, 'job'>>;

/** Options of `createUi`. */
export interface UiOptions {
  /** The client, as `createLocks` or `openLocks` returns it. The caller closes it. */
  readonly locks: ShownLocks;
  /** Whether the page can break leases. @default false */
  readonly write?: boolean;
  /** Only keys with this prefix are shown, and can be broken. @default '' */
  readonly prefix?: string;
  /**
   * The path of the page, such as `/admin/locks`. Set it if the handler gets the whole path of a
   * request, as from `node:http` and Fastify. Express removes the path of `app.use` itself.
   * @default '', the root
   */
  readonly basePath?: string;
  /**
   * Whether the timeline includes the diagnostics channels of this process.
   * @default true
   */
  readonly channels?: boolean;
}

const source: OptionSource = { where: 'createUi', code: 'LOCK_MISCONFIGURED' };

const readers: OptionReaders<UiOptions> = {
  locks: withMethods<ShownLocks>('a client of createLocks or openLocks', 'inspect', 'list', 'forceRelease'),
  write: flag,
  prefix: matching(/^[^]{0,512}$/, 'a string of at most 512 characters'),
  basePath: matching(/^(?:\/[\w.~%@:+-]+)*$/, 'a path such as "/admin/locks", without a slash at its end'),
  channels: flag,
};

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readUiOptions(options: UiOptions): Required<UiOptions> {
  const { locks, write = false, prefix = '', basePath = '', channels = true } = readOptions(readers, options, source);
  if (locks === undefined) throw misconfigured(source.where, 'it needs "locks": createUi({ locks })');
  return { locks, write, prefix, basePath, channels };
}
