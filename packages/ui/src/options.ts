import type { Locks } from '@locks/core';
import { flag, matching, misconfigured, readOptions, withMethods } from '@locks/core/adapter';
import type { OptionReaders, OptionSource } from '@locks/core/adapter';

/** What the page needs of a `Locks`. Without `job` it shows no states of jobs. */
export type ShownLocks = Pick<Locks, 'name' | 'inspect' | 'list' | 'forceRelease'> & Partial<Pick<Locks, 'job'>>;

/** What `createUi` takes. */
export interface UiOptions {
  /** What `createLocks` or `openLocks` gives. It stays the caller's, who closes it. */
  readonly locks: ShownLocks;
  /** Whether the page can break leases. @default false */
  readonly write?: boolean;
  /** Only keys whose names begin so are shown, and can be broken. @default '' */
  readonly prefix?: string;
  /**
   * The path of the page, such as `/admin/locks`. It is needed where the handler gets the whole
   * path of a request, as from `node:http` and Fastify. Express takes the path of `app.use` away
   * before. @default '', the root
   */
  readonly basePath?: string;
  /**
   * Whether the timeline has what the locks of this process tell on their diagnostics channels.
   * @default true
   */
  readonly channels?: boolean;
}

const source: OptionSource = { where: 'createUi', code: 'LOCK_MISCONFIGURED' };

const readers: OptionReaders<UiOptions> = {
  locks: withMethods<ShownLocks>('what createLocks or openLocks gives', 'inspect', 'list', 'forceRelease'),
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
