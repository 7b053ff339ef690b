import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { startRedis } from '../src/index.ts';
import { ask } from './ask.ts';

const parentScript = fileURLToPath(new URL('fixtures/parent.mjs', import.meta.url));

/** The folder of a server's data, as the server sees it. */
async function dataFolder(url: string): Promise<string> {
  const lines = (await ask(url, 'CONFIG GET dir')).split('\r\n');
  return lines.at(-1) ?? '';
}

/** What holds for servers that are child processes of ours only. */
export function testLocalProcess(): void {
  describe('a Redis that is a local process', () => {
    test('has the process id that the handle shows, a new one after restart, none while it is dead', async () => {
      await using server = await startRedis();
      const first = server.pid;
      expect(await ask(server.url, 'INFO server')).toContain(`process_id:${first}\r\n`);
      await server.kill();
      expect(server.pid).toBeUndefined();
      await server.restart();
      expect(server.pid).not.toBe(first);
      expect(await ask(server.url, 'INFO server')).toContain(`process_id:${server.pid}\r\n`);
    });

    test('leaves no files behind', async () => {
      const server = await startRedis({ args: ['--appendonly', 'yes'] });
      const folder = await dataFolder(server.url);
      expect(existsSync(folder)).toBe(true);
      await server.stop();
      expect(existsSync(dirname(folder))).toBe(false);
    });

    test('says so when no port can be had', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const address = other.address();
      const taken = typeof address === 'object' ? address?.port : undefined;
      await expect(startRedis({ args: ['--port', `${taken}`] })).rejects.toThrow('Address already in use');
      other.close();
    });

    test.each([
      { way: 'idle', signal: 'SIGKILL' },
      { way: 'paused', signal: 'SIGKILL' },
      { way: 'idle', signal: 'SIGTERM' },
      { way: 'idle', signal: 'SIGINT' },
      { way: 'exit', signal: undefined },
      { way: 'throw', signal: undefined },
      { way: 'forget', signal: undefined },
    ] as const)('does not outlive its parent ($way, $signal)', async ({ way, signal }) => {
      const parent = spawn(process.execPath, [parentScript, way], { stdio: ['ignore', 'pipe', 'ignore'] });
      const exited = once(parent, 'exit');
      const [line] = await once(createInterface({ input: parent.stdout }), 'line');
      const url = String(line);
      const folder = way === 'idle' ? await dataFolder(url) : undefined;
      if (signal !== undefined) parent.kill(signal);
      await exited;
      await vi.waitFor(() => expect(ask(url, 'PING')).rejects.toThrow('ECONNREFUSED'), {
        timeout: 10_000,
        interval: 20,
      });
      if (folder !== undefined) {
        await vi.waitFor(() => expect(existsSync(dirname(folder))).toBe(false), { timeout: 10_000, interval: 20 });
      }
    });
  });
}
