import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { familyOf, listProcesses } from '../src/local/processes.ts';
import { over, redis } from './redis.ts';

const parentScript = fileURLToPath(new URL('fixtures/parent.mjs', import.meta.url));

/** The process ids of a server and of all that it has made. */
async function familyOfServer(pid: number | undefined): Promise<readonly number[]> {
  expect(pid).toBeTypeOf('number');
  return familyOf(pid ?? 0, await listProcesses()).map((member) => member.pid);
}

async function runningOf(pids: readonly number[]): Promise<readonly number[]> {
  const running = new Set((await listProcesses()).map(({ pid }) => pid));
  return pids.filter((pid) => running.has(pid));
}

const ends = [
  { way: 'idle', signal: 'SIGKILL' },
  { way: 'paused', signal: 'SIGKILL' },
  { way: 'idle', signal: 'SIGTERM' },
  { way: 'idle', signal: 'SIGINT' },
  { way: 'exit', signal: undefined },
  { way: 'throw', signal: undefined },
  { way: 'forget', signal: undefined },
] as const;

/** What holds for servers that are child processes of ours only. */
export function testLocalProcess(): void {
  const ping = (url: string): Promise<void> => over(url, (session) => session.ping());

  describe('a redis that is a local process', () => {
    test('has the process id that the handle shows, a new one after restart, none while it is dead', async () => {
      await using server = await redis.start();
      const first = server.pid;
      const family = await familyOfServer(first);
      expect(family).toContain(first);
      await server.kill();
      expect(server.pid).toBeUndefined();
      expect(await runningOf(family)).toEqual([]);
      await server.restart();
      expect(server.pid).not.toBe(first);
      expect(await familyOfServer(server.pid)).toContain(server.pid);
    });

    test('pause stops all its processes', async () => {
      await using server = await redis.start();
      using _session = await redis.open(server.url);
      await server.pause();
      const family = familyOf(server.pid ?? 0, await listProcesses());
      expect(family.length).toBeGreaterThan(0);
      expect(family.filter(({ stopped }) => !stopped)).toEqual([]);
      await server.resume();
      expect(familyOf(server.pid ?? 0, await listProcesses()).filter(({ stopped }) => stopped)).toEqual([]);
    });

    test.each(['runs', 'is paused', 'was killed'] as const)(
      'leaves no process and no file behind when it %s at its stop',
      async (state) => {
        const server = await redis.start(redis.durable);
        using session = await redis.open(server.url);
        await session.write('value');
        const folder = await session.dataFolder();
        const family = await familyOfServer(server.pid);
        expect(dirname(folder)).toContain('locks-test-redis-');
        expect(existsSync(folder)).toBe(true);
        if (state === 'is paused') await server.pause();
        if (state === 'was killed') await server.kill();
        await server.stop();
        expect(existsSync(dirname(folder))).toBe(false);
        expect(await runningOf(family)).toEqual([]);
      },
    );

    test('says so when no port can be had', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const address = other.address();
      const taken = typeof address === 'object' ? (address?.port ?? 0) : 0;
      await expect(redis.start(redis.listenOn(taken))).rejects.toThrow('Address already in use');
      other.close();
    });

    test('starts again though another process has its port for a moment', async () => {
      await using server = await redis.start(redis.durable);
      await over(server.url, (session) => session.write('value'));
      const other = createServer();
      const meanwhile = async (): Promise<void> => {
        other.listen(server.port, server.host);
        await once(other, 'listening');
      };
      const restarted = server.restart({ meanwhile });
      setTimeout(() => other.close(), 1_000);
      await restarted;
      expect(await over(server.url, (session) => session.read())).toBe('value');
    });

    test.each(ends)('does not outlive its parent ($way, $signal)', async ({ way, signal }) => {
      const parent = spawn(process.execPath, [parentScript, way], { stdio: ['ignore', 'pipe', 'ignore'] });
      const exited = once(parent, 'exit');
      const [line] = await once(createInterface({ input: parent.stdout }), 'line');
      const { url, pid } = JSON.parse(String(line)) as { readonly url: string; readonly pid: number };
      using session = way === 'idle' ? await redis.open(url) : undefined;
      const folder = await session?.dataFolder();
      // The server of a parent that ended without a signal may have ended already.
      const family = signal === undefined ? [pid] : await familyOfServer(pid);
      if (signal !== undefined) parent.kill(signal);
      await exited;
      await vi.waitFor(() => expect(ping(url)).rejects.toThrow('ECONNREFUSED'), { timeout: 10_000, interval: 20 });
      await vi.waitFor(async () => expect(await runningOf(family)).toEqual([]), { timeout: 10_000, interval: 20 });
      if (folder !== undefined) {
        await vi.waitFor(() => expect(existsSync(dirname(folder))).toBe(false), { timeout: 10_000, interval: 20 });
      }
    });
  });
}
