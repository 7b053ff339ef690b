import { expect, onTestFinished, test } from 'vitest';
import { createLocks } from '../../../core/src/index.ts';
import { combine, migrate } from '../../src/index.ts';
import type { Lease, LockProvider, Locks } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { withSession } from '../../../core/test/support/with-session.ts';
import { RestartingServer, within } from '../support/restarting-server.ts';

const ttl = 6_000;

/** A holder, and a claim that waits with another process. */
interface Setting {
  readonly runtime: VirtualRuntime;
  readonly servers: readonly RestartingServer[];
  /**
   * A process. `session`: what its votes of the second member depend on. `cut`: it does not reach
   * this server.
   */
  readonly locks: (session?: AbortSignal, cut?: RestartingServer) => Locks;
}

type Compose = (members: LockProvider[], options: Pick<CombineOptions, 'runtime' | 'memberTimeout'>) => LockProvider;

/** Processes with `count` servers, which `compose` makes one provider. */
function setUp(count: number, compose: Compose): Setting {
  const runtime = new VirtualRuntime();
  const servers = Array.from({ length: count }, () => new RestartingServer(runtime));
  const gone = new RestartingServer(runtime);
  gone.down = true;
  const locks = (session = new AbortController().signal, cut?: RestartingServer): Locks => {
    const members = servers.map((server, index) => {
      const member = (server === cut ? gone : server).open();
      return index === 1 ? withSession(member, 'job', () => session) : member;
    });
    const opened = createLocks(compose(members, { runtime, memberTimeout: 100 }), { runtime, ttl });
    onTestFinished(() => opened.close());
    return opened;
  };
  return { runtime, servers, locks };
}

/** A lease of the second and the third member of three. */
async function leaseOfTwo(session?: AbortSignal): Promise<Setting & { readonly lease: Lease }> {
  const setting = setUp(3, combine);
  const [first] = setting.servers;
  first!.down = true;
  return { ...setting, lease: await within(setting.runtime, setting.locks(session, first).acquire('job')) };
}

/** How long after the end that `lease` promised last another process gets the key, in ms. */
async function nextAfter({ runtime, locks }: Setting, lease: Lease, harm: () => unknown): Promise<number> {
  const waiter = watch(locks().acquire('job', { wait: 60_000 }), runtime);
  await runtime.advance(100);
  expect(waiter.state).toBe('open');
  await within(runtime, lease.renew());
  let end = runtime.time + lease.remaining;
  await harm();
  for (let ms = 0; waiter.at === undefined && ms < 30_000; ms += 1) {
    if (lease.held) end = runtime.time + lease.remaining;
    await runtime.advance(1);
  }
  expect(lease.held).toBe(false);
  return (waiter.at ?? Infinity) - end;
}

/** Not before, and as soon as the votes that are left have gone back. */
function expectPrompt(after: number): void {
  expect(after).toBeGreaterThanOrEqual(0);
  // The 1 % that a lease ends before its votes, and the way of a wake.
  expect(after).toBeLessThan(ttl / 100 + 200);
}

test('a lease that loses its majority keeps others out until the end that was promised', async () => {
  const { lease, ...setting } = await leaseOfTwo();
  const [first, second] = setting.servers;
  first?.comeBackEmpty();
  expectPrompt(await nextAfter(setting, lease, () => second?.comeBackEmpty(ttl)));
});

test('so it does where one of its votes is released by force', async () => {
  const { lease, ...setting } = await leaseOfTwo();
  const member = setting.servers[1]?.open();
  const freeOne = async (): Promise<void> => {
    const [holder] = (await member?.inspect('job'))?.holders ?? [];
    await member?.release({ key: 'job', owner: holder?.owner ?? '', ttl, mode: 'exclusive' });
  };
  expectPrompt(await nextAfter(setting, lease, freeOne));
});

test('so it does where the session with one of two members has ended', async () => {
  const session = new AbortController();
  const { lease, ...setting } = await leaseOfTwo(session.signal);
  const end = (): void => {
    setting.servers[1]?.comeBackEmpty();
    session.abort(new Error('The session has ended.'));
    expect(lease.held).toBe(false);
  };
  expectPrompt(await nextAfter(setting, lease, end));
});

test.each<[string, Compose]>([
  ['where all members are needed', (members, options) => combine(members, { ...options, need: 'all' })],
  [
    'in both stores of a migration',
    ([from, to], options) => migrate({ ...options, from: from!, to: to!, phase: 'both', name: 'move' }),
  ],
])('so it does %s, and one comes back empty', async (_, compose) => {
  const setting = setUp(2, compose);
  const lease = await within(setting.runtime, setting.locks().acquire('job'));
  expectPrompt(await nextAfter(setting, lease, () => setting.servers[0]?.comeBackEmpty()));
});

test('an operator who releases all of it frees the key at once', async () => {
  const { lease, runtime, locks } = await leaseOfTwo();
  const next = watch(locks().acquire('job', { wait: 60_000 }), runtime);
  await runtime.advance(100);
  expect(await within(runtime, locks().forceRelease(lease))).toBe(true);
  await runtime.advance(50);
  expect(next.state).toBe('fulfilled');
});
