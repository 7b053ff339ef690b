import { afterEach, describe, expect, test } from 'vitest';
import { type RedisServerOptions, type ServerHandle, startRedis } from '../src/index.ts';
import { ask, open } from './ask.ts';

/** What holds for every server that we start ourselves. */
export function testOwnServer(way: 'local' | 'docker'): void {
  describe(`a Redis of our own (${way})`, () => {
    const started: ServerHandle[] = [];
    afterEach(async () => {
      await Promise.all(started.splice(0).map((server) => server.stop()));
    });
    async function start(options?: RedisServerOptions): Promise<ServerHandle> {
      const server = await startRedis(options);
      started.push(server);
      return server;
    }

    test('answers at its url, and does not listen any more after stop', async () => {
      const server = await start();
      expect(server.url).toBe(`redis://${server.host}:${server.port}`);
      expect(await ask(server.url, 'PING')).toBe('+PONG');
      await server.stop();
      await expect(ask(server.url, 'PING')).rejects.toThrow('ECONNREFUSED');
    });

    test('persists nothing unless asked', async () => {
      const server = await start();
      expect(await ask(server.url, 'CONFIG GET save')).toBe('*2\r\n$4\r\nsave\r\n$0');
      expect(await ask(server.url, 'SET key value')).toBe('+OK');
      await server.kill();
      await server.restart();
      expect(await ask(server.url, 'GET key')).toBe('$-1');
    });

    test('asks for the password that it was given', async () => {
      const server = await start({ password: 'a b"c@/:é' });
      expect(await ask(server.url, 'PING')).toMatch(/^-NOAUTH/);
      expect(decodeURIComponent(new URL(server.url).password)).toBe('a b"c@/:é');
      await server.restart();
      expect(await ask(server.url, String.raw`AUTH "a b\"c@/:é"`)).toBe('+OK');
    });

    test('answers nothing while paused, and everything after resume', async () => {
      const server = await start();
      const connection = await open(server.url);
      await server.pause();
      const answer = connection.ask('PING');
      const observed = new Promise((resolve) => setTimeout(resolve, 250, 'silence'));
      expect(await Promise.race([answer, observed])).toBe('silence');
      await server.resume();
      expect(await answer).toBe('+PONG');
      connection[Symbol.dispose]();
    });

    test('pausing twice is pausing once', async () => {
      const server = await start();
      await server.pause();
      await server.pause();
      await server.resume();
      await server.resume();
      expect(await ask(server.url, 'PING')).toBe('+PONG');
    });

    test('kill ends connections and frees the port; restart brings back what was persisted, or nothing, at the same url', async () => {
      const server = await start({ args: ['--appendonly', 'yes'] });
      const connection = await open(server.url);
      expect(await connection.ask('SET key value')).toBe('+OK');
      await server.kill();
      await server.kill();
      await connection.closed;
      await expect(ask(server.url, 'PING')).rejects.toThrow('ECONNREFUSED');
      await server.restart();
      expect(await ask(server.url, 'GET key')).toBe('$5\r\nvalue');
      await server.kill();
      await server.restart({ keepData: false });
      expect(await ask(server.url, 'GET key')).toBe('$-1');
    });

    test('restart shuts a running or paused server down in order', async () => {
      const server = await start({ args: ['--save', '3600', '1'] });
      expect(await ask(server.url, 'SET key value')).toBe('+OK');
      await server.restart();
      expect(await ask(server.url, 'GET key')).toBe('$5\r\nvalue');
      expect(await ask(server.url, 'SET key again')).toBe('+OK');
      await server.pause();
      await server.restart();
      expect(await ask(server.url, 'GET key')).toBe('$5\r\nagain');
    });

    test('kills a paused server', async () => {
      const server = await start();
      await server.pause();
      await server.kill();
      await expect(ask(server.url, 'PING')).rejects.toThrow('ECONNREFUSED');
    });

    test('stops a paused server', async () => {
      const server = await start();
      await server.pause();
      await server.stop();
      await expect(ask(server.url, 'PING')).rejects.toThrow('ECONNREFUSED');
    });

    test('pause and resume of a killed server say that it does not run', async () => {
      const server = await start();
      await server.kill();
      await expect(server.pause()).rejects.toThrow(/does not run.*restart\(\) it first/);
      await expect(server.resume()).rejects.toThrow(/does not run.*restart\(\) it first/);
    });

    test('calls that are not awaited take effect in their order', async () => {
      const server = await start();
      await Promise.all([server.pause(), server.kill(), server.restart(), server.pause(), server.resume()]);
      expect(await ask(server.url, 'PING')).toBe('+PONG');
      await Promise.all([server.restart(), server.stop()]);
      await expect(ask(server.url, 'PING')).rejects.toThrow('ECONNREFUSED');
    });

    test('stop may be repeated and is final', async () => {
      const server = await start();
      await Promise.all([server.stop(), server.stop()]);
      await server.stop();
      await server[Symbol.asyncDispose]();
      await expect(server.restart()).rejects.toThrow(/restart\(\) after stop\(\)/);
    });

    test('a server that cannot start tells why in its own words, without the password', async () => {
      const failure = await startRedis({ password: 'hush-hush', args: ['--no-such-option', 'hush-hush'] }).catch(
        (error: unknown) => error,
      );
      expect(String(failure)).toMatch(/on \S+:\d+ exited with code 1/);
      expect(String(failure)).toMatch(/FATAL CONFIG FILE ERROR/);
      expect(String(failure)).toContain('no-such-option');
      expect(String(failure)).not.toContain('hush-hush');
    });

    test('several servers run side by side', async () => {
      const servers = await Promise.all([start(), start(), start()]);
      expect(new Set(servers.map(({ url }) => url)).size).toBe(3);
      for (const { url } of servers) expect(await ask(url, 'PING')).toBe('+PONG');
    });
  });
}
