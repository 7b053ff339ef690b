import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';
import type { Locks, LocksConfig } from '@locks/core';
import { now } from '../clock.ts';
import type { Json } from '../script.ts';
import type { Address } from '../target.ts';
import type { Assignment } from './messages.ts';

/** Locks, and how they are closed with all that was opened for them. */
export interface OpenedLocks {
  /** The locks. */
  readonly locks: Locks;
  /** Closes them, and all else that was opened. */
  close(): Promise<void>;
}

/** What a module that opens locks gets. */
export interface OpenArguments {
  /** Where the servers are, in their order. */
  readonly addresses: readonly Address[];
  /** The drawn settings of the worker. */
  readonly settings: { readonly [name: string]: Json };
  /** What the target says. */
  readonly args: Json;
}

/** In ms: a store may refuse its clients for as long, as while a password is changed. */
const refusal = 20_000;

/**
 * Opens the locks, as often as it takes: the network may be broken at the moment, or the store
 * refuses its clients for a while. Rejects for any other reason.
 */
export async function open({
  module,
  ...given
}: Pick<Assignment, 'module' | keyof OpenArguments>): Promise<OpenedLocks> {
  const opener =
    module === undefined
      ? openConfigured
      : ((await import(/* any module */ module)) as { open(given: OpenArguments): Promise<OpenedLocks> }).open;
  for (const begun = now(); ;) {
    try {
      return await opener(given);
    } catch (error) {
      const refused = isLockError(error, 'LOCK_MISCONFIGURED') && now() - begun < refusal;
      if (!refused && !isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      await sleep(50);
    }
  }
}

/**
 * Opens `args` with `openLocks`: a URL or a configuration, whose texts have `{host}` and `{port}`
 * in place of the address of the first server, `{host:1}` of that of the second. An opening without
 * a module does that.
 */
export async function openConfigured({ addresses, settings, args }: OpenArguments): Promise<OpenedLocks> {
  const filled = fill(args, addresses);
  const config = (typeof filled === 'string' ? { url: filled } : filled) as LocksConfig;
  const locks = await openLocks({ ...config, options: { ...config.options, ...settings } });
  return { locks, close: () => locks.close() };
}

/** `value` with the addresses in place of what stands for them. */
function fill(value: Json, addresses: readonly Address[]): Json {
  if (typeof value === 'string') {
    return value.replaceAll(/\{(host|port)(?::(\d+))?\}/g, (text, part: 'host' | 'port', index = '0') => {
      const address = addresses[Number(index)];
      return address === undefined ? text : `${address[part]}`;
    });
  }
  if (Array.isArray(value)) return value.map((each: Json) => fill(each, addresses));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, addresses)]));
}
