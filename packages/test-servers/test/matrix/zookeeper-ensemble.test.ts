import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { chooseServer } from '../../src/start/choose.ts';
import {
  fourLetterWord,
  modeOf,
  type ServerHandle,
  startZookeeperEnsemble,
  type ZookeeperEnsemble,
} from '../../src/index.ts';
import { unusedPort } from '../../src/server/ports.ts';
import { openZookeeper } from '../zookeeper-client.ts';

const way = chooseServer('zookeeper', 'zookeeper:3.9').kind;
const note = '/test-note';

async function write({ url }: ServerHandle, value: string): Promise<void> {
  using session = await openZookeeper(url);
  if ((await session.get(note)) === undefined) await session.create(note, value);
  else await session.set(note, value);
}

async function read({ url }: ServerHandle): Promise<string | undefined> {
  using session = await openZookeeper(url);
  return await session.get(note);
}

describe.runIf(way === 'local')('an ensemble of ZooKeepers', () => {
  describe('with partitions', () => {
    const ticks = { tickTime: 300, syncLimit: 5 };
    let ensemble: ZookeeperEnsemble;
    beforeAll(async () => {
      ensemble = await startZookeeperEnsemble({ ...ticks, partitions: true });
    });
    afterAll(() => ensemble.stop());

    test('a follower that is cut off answers reads for a while, executes no write, and catches up when it is healed', async () => {
      await write(await ensemble.leader(), 'old');
      const [follower] = await ensemble.followers();
      await vi.waitFor(async () => expect(await read(follower!)).toBe('old'));
      using session = await openZookeeper(follower!.url);
      const heal = ensemble.partition(follower!);
      expect(await session.get('/test-note')).toBe('old');
      await write(await ensemble.leader(), 'new');
      expect(await session.get('/test-note')).toBe('old');
      await expect(session.set('/test-note', 'lost')).rejects.toThrow('the connection ended');
      expect(await modeOf(follower!)).toBeUndefined();
      expect(await read(await ensemble.leader())).toBe('new');
      await heal();
      await expect.poll(() => modeOf(follower!), { timeout: 20_000 }).toBe('follower');
      await vi.waitFor(async () => expect(await read(follower!)).toBe('new'));
    });

    test('a follower that lags takes part, and answers reads from the past, until that is ended', async () => {
      await write(await ensemble.leader(), 'before the lag');
      const [follower] = await ensemble.followers();
      await vi.waitFor(async () => expect(await read(follower!)).toBe('before the lag'));
      using session = await openZookeeper(follower!.url);
      const end = ensemble.lag(follower!, 600);
      await write(await ensemble.leader(), 'in the lag');
      expect(await session.get('/test-note')).toBe('before the lag');
      await vi.waitFor(async () => expect(await session.get('/test-note')).toBe('in the lag'));
      await session.set('/test-note', 'by the follower');
      end();
      expect(await read(await ensemble.leader())).toBe('by the follower');
      expect(await modeOf(follower!)).toBe('follower');
    });

    test('what a follower is sent waits while it is held, and what a mute one says is lost', async () => {
      await write(await ensemble.leader(), 'before');
      const [follower] = await ensemble.followers();
      await vi.waitFor(async () => expect(await read(follower!)).toBe('before'));
      using session = await openZookeeper(follower!.url);
      const release = ensemble.hold(follower!);
      await write(await ensemble.leader(), 'held');
      expect(await session.get('/test-note')).toBe('before');
      release();
      await vi.waitFor(async () => expect(await session.get('/test-note')).toBe('held'));
      const speak = ensemble.mute(follower!);
      await expect(session.set('/test-note', 'unheard')).rejects.toThrow('the connection ended');
      expect(await read(await ensemble.leader())).toBe('held');
      await speak();
      await expect.poll(() => modeOf(follower!), { timeout: 20_000 }).toBe('follower');
    });

    test('a leader that is cut off steps down, another one leads, and both agree when it is healed', async () => {
      const leader = await ensemble.leader();
      const heal = ensemble.partition(leader);
      await expect.poll(() => modeOf(leader), { timeout: 20_000 }).toBeUndefined();
      const next = await ensemble.leader();
      expect(next).not.toBe(leader);
      await write(next, 'next');
      expect(await modeOf(leader)).toBeUndefined();
      await heal();
      await expect.poll(() => modeOf(leader), { timeout: 20_000 }).toBe('follower');
      expect(await ensemble.leader()).toBe(next);
      await vi.waitFor(async () => expect(await read(leader)).toBe('next'));
    });

    test('who is no member cannot be cut off', () => {
      const stranger = { ...ensemble.servers[0]!, port: 1 };
      expect(() => ensemble.partition(stranger)).toThrow('127.0.0.1:1 is no member');
      expect(() => ensemble.lag(stranger, 1)).toThrow('127.0.0.1:1 is no member');
      expect(() => ensemble.hold(stranger)).toThrow('127.0.0.1:1 is no member');
      expect(() => ensemble.mute(stranger)).toThrow('127.0.0.1:1 is no member');
    });
  });

  test('leaves no process and no file behind, and has no partitions unless asked', async () => {
    const ensemble = await startZookeeperEnsemble({ size: 2, tickTime: 300 });
    expect(() => ensemble.partition(ensemble.servers[0]!)).toThrow('"partitions: true"');
    expect(() => ensemble.lag(ensemble.servers[0]!, 1)).toThrow('"partitions: true"');
    const folders = await Promise.all(
      ensemble.servers.map(async (server) => {
        return dirname(/^dataDir=(.*)$/m.exec(await fourLetterWord(server, 'conf'))?.[1] ?? '');
      }),
    );
    await Promise.all([ensemble.stop(), ensemble.stop()]);
    expect(ensemble.servers.map(({ pid }) => pid)).toEqual([undefined, undefined]);
    expect(folders.filter((folder) => existsSync(dirname(folder)))).toEqual([]);
  });

  test.each(['quorum', 'election'] as const)(
    'whose members cannot have a port of theirs (%s) says so soon, and leaves nothing behind',
    async (which) => {
      const folder = await mkdtemp(join(tmpdir(), 'locks-test-ensemble-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      vi.stubEnv('TMPDIR', folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      onTestFinished(() => void other.close());
      const { port: taken } = other.address() as AddressInfo;
      const free = await unusedPort();
      const ports = which === 'quorum' ? `${taken}:${free}` : `${free}:${taken}`;
      const config = { 'server.2': `127.0.0.1:${ports}` };
      await expect(startZookeeperEnsemble({ size: 2, tickTime: 200, config })).rejects.toThrow(
        /found a port taken[^]*Address already in use/,
      );
      expect(await readdir(folder)).toEqual([]);
    },
  );
});

test('an ensemble of ZooKeepers is refused of one member, and where the environment names one server', async () => {
  await expect(startZookeeperEnsemble({ size: 1 })).rejects.toThrow(/"size" is 1: .*startZookeeper\(\)/);
  vi.stubEnv('LOCKS_TEST_ZOOKEEPER_URL', 'zookeeper://127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startZookeeperEnsemble()).rejects.toThrow('unset LOCKS_TEST_ZOOKEEPER_URL');
});
