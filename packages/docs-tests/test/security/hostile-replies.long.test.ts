import { isLockError } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import { createRandom } from '@locks/core/testing';
import { collect, eventually, hostileReplies, startProxy } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startStore, storeNames } from '../support/stores.ts';
import type { Store, StoreName } from '../support/stores.ts';

/** In ms. A call may wait for a connection, and a machine may be busy. */
const [timeout, longest] = [1_000, 10_000];
/** In bytes: what calls may keep of what they have read. */
const most = 400 * 1024 * 1024;
const rounds = 18;
const seed = Number(process.env['LOCKS_SEED'] ?? 0);

/** Those that we open. What a client of the caller's does with such replies is its own affair. */
const clients: readonly (readonly [client: string, store: StoreName, options: object])[] = [
  ...storeNames.filter((name) => name !== 'sqlite').map((name) => [name, name, {}] as const),
  ...['iovalkey', 'redis'].map((library) => [`redis by ${library}`, 'redis', { library }] as const),
];

const claimOf = (key: string, owner: string): Claim => ({ key, owner, ttl: 60_000, mode: 'exclusive' });
const held = claimOf('held', 'direct/1');

/** A process whose server is hostile. */
interface Harmed {
  readonly store: Store;
  readonly options: object;
  /**
   * Replies have no numbers that say which call they answer: where one is missing, the next call
   * gets the answer of another one. Only what is no answer to it can be told.
   */
  readonly unnumbered: boolean;
  readonly found: unknown[];
}

test.each(clients)(
  'whatever a server sends to the client of %s, calls end in time by a LockError, and what is held is not granted',
  async (_, name, options) => {
    const store = await startStore(name);
    onTestFinished(() => store.stop());
    const direct = await store.open();
    onTestFinished(() => direct.close());
    expect(await direct.tryAcquire(held)).toMatchObject({ granted: true });
    const memory = watchMemory();
    const harmed: Harmed = { store, options, unnumbered: name === 'redis', found: [] };
    await Promise.all(Array.from({ length: rounds }, (__, round) => live(harmed, round)));
    expect(harmed.found).toEqual([]);
    expect(memory()).toBeLessThan(most);
    expect((await direct.inspect('held')).holders).toMatchObject([{ owner: held.owner }]);
  },
  180_000,
);

/** A third of the processes find the server hostile from the start. */
async function live({ store, options, unnumbered, found }: Harmed, round: number): Promise<void> {
  const { hostname, port } = new URL(store.url);
  const changes: string[] = [];
  let hostile = round % 3 === 0;
  const change = hostileReplies(createRandom(seed + round), (name) => void changes.push(name));
  const proxy = await startProxy(
    { host: hostname, port: Number(port) },
    { rewrite: (piece, ...about) => (hostile ? change(piece, ...about) : piece) },
  );

  async function call<T>(
    what: string,
    begin: () => Promise<T>,
    check: (answer: T) => boolean = () => true,
  ): Promise<T | undefined> {
    const since = performance.now();
    let answer: T | undefined;
    let right = false;
    try {
      answer = await begin();
      right = check(answer);
    } catch (error) {
      right = isLockError(error);
      if (!right) answer = error as T;
    }
    const took = performance.now() - since;
    if (!right || took > longest) found.push({ round, changes, what, answer, took });
    return answer;
  }

  const own = claimOf(`own ${round}`, `${round}/1`);

  async function callAll(provider: LockProvider): Promise<void> {
    const other = claimOf(held.key, `${round}/2`);
    const busy = ({ granted, token }: { readonly granted: boolean; readonly token?: bigint }): boolean =>
      !granted || (unnumbered && token !== undefined && token > 10n ** 12n);
    await Promise.all([
      call('acquire', () => provider.tryAcquire(own)),
      call('acquire what is held', () => provider.tryAcquire(other), busy),
      call('wait', () => provider.tryAcquire({ ...other, owner: `${round}/3` }, () => {}), busy),
      call('inspect', () => provider.inspect(held.key)),
      call(
        'renew',
        () => provider.renew(other),
        (answer) => answer === false || unnumbered,
      ),
    ]);
    await call('list', () => collect(provider.list?.('') ?? []));
    await call('register', async () => await provider.register?.('name', undefined));
    await call('time', async () => await provider.time?.());
    await call('release', () => provider.release(own));
  }

  const provider = await call('open', () => store.open(proxy.url(store.url), { ...options, timeout }));
  if (provider !== undefined) {
    hostile = true;
    for (let turn = 0; turn < 3; turn += 1) await callAll(provider);
    hostile = false;
    await proxy.cut();
    for (const claim of [own, claimOf(`healed ${round}`, `${round}/4`)]) {
      let last: unknown;
      const isGranted = async (): Promise<boolean> => {
        const answer = await provider.tryAcquire(claim).catch((error: unknown) => void (last = error));
        return answer?.granted === true;
      };
      await eventually('a grant', isGranted, 30_000).catch(() => {
        throw new Error(`No grant of "${claim.key}" after ${changes.join(', ')}.`, { cause: last });
      });
    }
    await call('close', () => provider.close());
  }
  await proxy.stop();
}

/** The memory that is taken at most from now on, in bytes. */
function watchMemory(): () => number {
  const taken = (): number => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  const before = taken();
  let highest = 0;
  const timer = setInterval(() => (highest = Math.max(highest, taken() - before)), 10);
  onTestFinished(() => clearInterval(timer));
  return () => highest;
}
