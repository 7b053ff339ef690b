import { expect, onTestFinished, test } from 'vitest';
import type { Lease, Locks } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { restartingQuorum } from '../support/restarting-server.ts';

const ttl = 9_000;

type Setting = ReturnType<typeof restartingQuorum>;

async function take({ runtime, open }: Setting): Promise<Lease> {
  const taken = watch(open().acquire('job'));
  await runtime.advance(10);
  return taken.value as Lease;
}

/** How many members have a vote of `lease`. */
async function votesOf({ owner }: Lease, { holders }: Setting): Promise<number> {
  return (await holders()).filter(([holder]) => holder?.owner.startsWith(`${owner}~`)).length;
}

/** How long it takes until `lease` has all votes again, in ms. */
async function timeToHeal(lease: Lease, setting: Setting): Promise<number> {
  const { runtime } = setting;
  const start = runtime.time;
  const isOver = (): boolean => !lease.held || runtime.time - start > 30_000;
  while ((await votesOf(lease, setting)) < 3 && !isOver()) await runtime.advance(10);
  return runtime.time - start;
}

test('a lease survives restarts of all members, one after the other, while callers come and go', async () => {
  const setting = restartingQuorum(ttl);
  const { runtime, servers, open } = setting;
  const lease = await take(setting);
  const processes = [open(), open(), open()];
  let over = false;
  onTestFinished(() => void (over = true));
  const comeAndGo = async (index: number): Promise<void> => {
    while (!over) {
      const wait = index % 2 === 0 ? 700 + 400 * index : 0;
      await processes[index % 3]?.acquire('job', { wait }).then(
        () => expect(lease.held).toBe(false),
        () => {},
      );
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 1 + 90 * runtime.random(), false));
    }
  };
  for (let caller = 0; caller < 8; caller += 1) void comeAndGo(caller);
  for (let restart = 0; restart < 9; restart += 1) {
    servers[restart % 3]?.comeBackEmpty();
    expect(await timeToHeal(lease, setting), `after restart ${restart}`).toBeLessThan(ttl / 3 + 2_000);
    expect(lease.held).toBe(true);
  }
});

test("a member that came back is the holder's again, though 300 claims wait", async () => {
  const setting = restartingQuorum(ttl);
  const { runtime, servers, open } = setting;
  const lease = await take(setting);
  const processes = [open(), open(), open()];
  const waiters = Array.from({ length: 300 }, (_, index) =>
    watch((processes[index % 3] as Locks).acquire('job', { wait: 600_000 })),
  );
  await runtime.advance(1_000);
  for (const server of [...servers, ...servers]) {
    server.comeBackEmpty();
    expect(await timeToHeal(lease, setting)).toBeLessThan(20_000);
    expect(lease.held).toBe(true);
  }
  expect(waiters.every(({ state }) => state === 'open')).toBe(true);
});
