import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ServerHandle } from '../src/index.ts';
import { PortTakenError, holdPort } from '../src/server/ports.ts';
import { over, redis } from './redis.ts';

/** What holds for every server that we start ourselves. */
export function testOwnServer(way: 'local' | 'docker'): void {
  describe(`a redis of our own (${way})`, () => {
    let shared: ServerHandle;
    beforeAll(async () => {
      shared = await redis.start(redis.durable);
    });
    afterAll(() => shared.stop());
    /** For tests that do not end their server permanently. */
    async function restarted(): Promise<ServerHandle> {
      await shared.restart();
      return shared;
    }

    const started: ServerHandle[] = [];
    afterEach(async () => {
      await Promise.all(started.splice(0).map((server) => server.stop()));
    });
    async function start(options?: Parameters<typeof redis.start>[0]): Promise<ServerHandle> {
      const server = await redis.start(options);
      started.push(server);
      return server;
    }
    const ping = ({ url }: ServerHandle): Promise<void> => over(url, (session) => session.ping());
    const write = ({ url }: ServerHandle, value: string): Promise<void> => over(url, (session) => session.write(value));
    const read = ({ url }: ServerHandle): Promise<string | undefined> => over(url, (session) => session.read());

    test('its port is held for it while it is down', async () => {
      const { host, port, kill, restart } = await restarted();
      await kill();
      await expect(holdPort(host, port)).rejects.toThrow(PortTakenError);
      await restart();
    });

    test('answers at its url, and does not listen any more after stop', async () => {
      const server = await start();
      expect(new URL(server.url)).toMatchObject({
        protocol: 'redis:',
        hostname: server.host,
        port: `${server.port}`,
      });
      await ping(server);
      await server.stop();
      await expect(ping(server)).rejects.toThrow('ECONNREFUSED');
    });

    test('answers nothing while paused, on connections old and new, and everything after resume', async () => {
      const server = await restarted();
      const session = await redis.open(server.url);
      await server.pause();
      const answer = session.ping().then(() => 'an answer');
      const another = ping(server).then(() => 'an answer');
      const observed = new Promise((resolve) => setTimeout(resolve, 250, 'silence'));
      expect(await Promise.race([answer, another, observed])).toBe('silence');
      await server.resume();
      expect(await Promise.all([answer, another])).toEqual(['an answer', 'an answer']);
      session[Symbol.dispose]();
    });

    test('pausing twice is pausing once', async () => {
      const server = await restarted();
      await server.pause();
      await server.pause();
      await server.resume();
      await server.resume();
      await ping(server);
    });

    test('kill ends connections and frees the port; restart brings back what was persisted, or nothing, at the same url', async () => {
      const server = await restarted();
      const session = await redis.open(server.url);
      await session.write('value');
      await server.kill();
      await server.kill();
      await session.closed;
      await expect(ping(server)).rejects.toThrow('ECONNREFUSED');
      await server.restart();
      expect(await read(server)).toBe('value');
      await server.kill();
      await server.restart({ keepData: false });
      expect(await read(server)).toBeUndefined();
    });

    test('restart shuts a running or paused server down in order, also with clients connected', async () => {
      const server = await restarted();
      const session = await redis.open(server.url);
      await session.write('value');
      await server.restart();
      await session.closed;
      expect(await read(server)).toBe('value');
      await write(server, 'again');
      await server.pause();
      await server.restart();
      expect(await read(server)).toBe('again');
    });

    test.each(['kill', 'stop'] as const)('%s ends a paused server', async (end) => {
      const server = await start();
      await server.pause();
      await server[end]();
      await expect(ping(server)).rejects.toThrow('ECONNREFUSED');
    });

    test('pause and resume of a killed server say that it does not run', async () => {
      const server = await restarted();
      await server.kill();
      await expect(server.pause()).rejects.toThrow(/does not run.*restart\(\) it first/);
      await expect(server.resume()).rejects.toThrow(/does not run.*restart\(\) it first/);
    });

    test('calls that are not awaited take effect in their order', async () => {
      const server = await start();
      await Promise.all([server.pause(), server.kill(), server.restart(), server.pause(), server.resume()]);
      await ping(server);
      await Promise.all([server.restart(), server.stop()]);
      await expect(ping(server)).rejects.toThrow('ECONNREFUSED');
    });

    test('stop may be repeated and is final', async () => {
      const server = await start();
      await Promise.all([server.stop(), server.stop()]);
      await server.stop();
      await server[Symbol.asyncDispose]();
      await expect(server.restart()).rejects.toThrow(/restart\(\) after stop\(\)/);
      await expect(server.log()).rejects.toThrow(/log\(\) after stop\(\)/);
    });

    test('log has what the server prints, across a restart too', async () => {
      const server = await restarted();
      await over(server.url, (session) => session.noteDown('first-note'));
      await expect.poll(() => server.log()).toContain('first-note');
      await server.kill();
      expect(await server.log()).toContain('first-note');
      await server.restart();
      await over(server.url, (session) => session.noteDown('second-note'));
      await expect.poll(() => server.log()).toMatch(/first-note[^]*second-note/);
    });

    test('a server that cannot start tells why in its own words', async () => {
      const failure = await redis.start(redis.broken.options).catch((error: unknown) => error);
      expect(String(failure)).toMatch(/on \S+:\d+ exited with code [1-9]/);
      expect(String(failure)).toMatch(redis.broken.reason);
    });

    test('several servers run side by side', async () => {
      const servers = await Promise.all([start(), start(), start()]);
      expect(new Set(servers.map(({ url }) => url)).size).toBe(3);
      for (const [index, server] of servers.entries()) await write(server, `${index}`);
      for (const [index, server] of servers.entries()) expect(await read(server)).toBe(`${index}`);
    });
  });
}
