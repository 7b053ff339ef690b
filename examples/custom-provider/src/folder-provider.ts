import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AdapterConfig, Busy, Grant, LockProvider, Runtime } from '@locks/core';
import { LockError, createDeadline, duration, isLockError, readOptions, systemRuntime } from '@locks/core/adapter';

/** A key's directory. One name in it decides: `state,<token>,<since>,<until>,<owner's file>`. */
interface State {
  readonly place: string;
  /** The highest token ever given or told; the holder's, while there is one. */
  readonly token: number;
  readonly since: number;
  readonly until: number;
  readonly holder: string;
  readonly owner?: string;
  readonly leftovers?: readonly string[];
}

const free = { since: 0, until: 0, holder: 'none' };
const pathOf = (s: State): string => join(s.place, `state,${s.token},${s.since},${s.until},${s.holder}`);
const missing = (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error));

/** In µs since the machine started: one clock for all processes of the host, which is never set. */
const now = (): number => Number(process.hrtime.bigint() / 1_000n);

async function look(place: string): Promise<State | undefined> {
  const names = await readdir(place).catch(missing);
  if (names === undefined) return { place, token: 0, ...free };
  const [, token, since, until, holder] = names.find((name) => name.startsWith('state,'))?.split(',') ?? [];
  if (holder === undefined) return undefined;
  const leftovers = names.filter((name) => name !== holder && Number(/^holder-(\d+)/.exec(name)?.[1]) < Number(token));
  const state = { place, token: Number(token), since: Number(since), until: Number(until), holder, leftovers };
  if (holder === free.holder) return state;
  const time = now();
  if (time < state.since || time >= state.until) return void (await replace(state, { ...state, ...free }));
  const owner = await readFile(join(place, holder), 'utf8').catch(missing);
  return owner === undefined ? undefined : { ...state, owner };
}

/** Compare-and-set: of all that saw the same state, `rename` succeeds for one. */
async function replace(seen: State, next: State): Promise<boolean> {
  const done = (await rename(pathOf(seen), pathOf(next)).then(() => true, missing)) ?? false;
  const unused = next.holder === seen.holder ? [] : done ? [seen.holder, ...(seen.leftovers ?? [])] : [next.holder];
  for (const name of unused) await rm(join(seen.place, name), { force: true }).catch(() => {});
  return done;
}

/** Locks for the processes of one host that share `folder`. A call settles within `timeout` ms. */
export function createFolderProvider(folder: string, timeout = 5_000, runtime: Runtime = systemRuntime): LockProvider {
  const deadline = createDeadline(runtime, timeout, 'The folder');
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  /** Repeats `step` while it answers `undefined`. Calls take turns, to spare the folder. */
  async function call<T>(key: string, step: (seen: State, sent: number) => Promise<T | undefined>): Promise<T> {
    if (closed) throw new LockError('LOCK_CLOSED', 'The folder provider is closed.');
    const sent = now();
    const attempt = async (): Promise<T> => {
      if (now() >= sent + timeout * 1_000) throw new LockError('LOCK_UNAVAILABLE', 'Others were faster all the time.');
      const seen = await look(join(folder, createHash('sha256').update(key).digest('hex')));
      return (seen && (await step(seen, sent))) ?? (await attempt());
    };
    const turn = last.then(attempt, attempt);
    last = turn;
    return await deadline.race(turn, `a call for ${JSON.stringify(key)}`).catch((error: unknown) => {
      const code = /\b(EACCES|EPERM|EROFS|ENOTDIR):/.test(String(error)) ? 'LOCK_MISCONFIGURED' : 'LOCK_UNAVAILABLE';
      throw isLockError(error) ? error : new LockError(code, `The folder: ${String(error)}`, { key, cause: error });
    });
  }

  return {
    name: 'folder',
    traits: { scope: 'host', expiry: 'ttl', fencing: 'clock-bounded', fair: false, shared: false, wake: false },
    async tryAcquire({ key, owner, ttl, mode, floor = 0n }) {
      if (mode === 'shared') throw new LockError('LOCK_INVALID', 'The folder provider has no shared locks.', { key });
      return await call<Grant | Busy>(key, async (seen, since) => {
        const next = { ...seen, since, until: since + ttl * 1_000 };
        if (seen.owner === undefined) {
          if (seen.token === 0) {
            const draft = `${seen.place}.${randomUUID()}`;
            await mkdir(pathOf({ ...seen, place: draft }), { recursive: true });
            await rename(draft, seen.place).catch(() => rm(draft, { recursive: true, force: true }));
          }
          next.token = Math.max(seen.token, Number(floor)) + 1;
          if (next.token >= 2 ** 53) throw new LockError('LOCK_INVALID', `Tokens end: ${JSON.stringify(key)}`, { key });
          next.holder = `holder-${seen.token}-${randomUUID()}`;
          await writeFile(join(seen.place, next.holder), owner);
          next.token = Math.max(next.token, Math.floor((runtime.clock.origin + runtime.clock.now()) * 1_000));
        } else if (seen.owner !== owner) return { granted: false };
        if (await replace(seen, next)) return { granted: true, token: BigInt(next.token) };
      });
    },
    renew: ({ key, owner, ttl }, told) =>
      call(key, async (seen, since) => {
        const token = Number(told ?? seen.token);
        if (seen.owner !== owner || token < seen.token) return false;
        if (await replace(seen, { ...seen, token, since, until: since + ttl * 1_000 })) return {};
      }),
    release: ({ key, owner }) =>
      call(key, async (seen) => seen.owner === owner && ((await replace(seen, { ...seen, ...free })) || undefined)),
    inspect: (key) =>
      call(key, async ({ owner, token, until }) => {
        const hold = { mode: 'exclusive', token: BigInt(token), remaining: Math.max(1, until - now()) / 1e3 } as const;
        return { key, holders: owner === undefined ? [] : [{ owner, ...hold }], waiters: 0 };
      }),
    close: async () => void (closed = true),
  };
}

/** What `openLocks` calls, with the URL `file:///run/my-app/locks?timeout=2s`. */
export async function fromConfig({ url, options, runtime }: AdapterConfig): Promise<LockProvider> {
  const source = { where: 'The folder provider', code: 'LOCK_MISCONFIGURED', text: true } as const;
  const { timeout } = readOptions({ timeout: duration(10, 600_000) }, options, source);
  if (!url?.startsWith('file:')) throw new LockError('LOCK_MISCONFIGURED', 'The folder provider needs a file: URL.');
  const provider = createFolderProvider(fileURLToPath(url), timeout, runtime);
  await provider.inspect('any');
  return provider;
}
