import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';
import type { Locks, LocksConfig } from '@locks/core';
import { now } from '../clock.ts';
import type { Json } from '../script.ts';
import type { Address } from '../target.ts';
import type { Assignment } from './messages.ts';

/** A client, and how it is closed with all that was opened for it. */
export interface OpenedLocks {
  /** The client. */
  readonly locks: Locks;
  /** Closes it, and all else that was opened. */
  close(): Promise<void>;
}

/** The arguments of a module that opens a client. */
export interface OpenArguments {
  /** The addresses of the servers, in order. */
  readonly addresses: readonly Address[];
  /** The drawn settings of the worker. */
  readonly settings: { readonly [name: string]: Json };
  /** The arguments in the target. */
  readonly args: Json;
}

/** How long a store may refuse its clients, as during a change of passwords, in ms. */
const refusal = 20_000;

/**
 * Opens the client, with retries: the network may be down, or the store refuse its clients for a
 * while. Rejects for any other reason.
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
 * Opens `args` with `openLocks`: a URL or a configuration, with `{host}` and `{port}` in its texts
 * replaced by the address of the first server, `{host:1}` by that of the second. The default of an
 * opening.
 */
export async function openConfigured({ addresses, settings, args }: OpenArguments): Promise<OpenedLocks> {
  const filled = fill(args, addresses);
  const config = (typeof filled === 'string' ? { url: filled } : filled) as LocksConfig;
  const locks = await openLocks({ ...config, options: { ...config.options, ...settings } });
  return { locks, close: () => locks.close() };
}

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
