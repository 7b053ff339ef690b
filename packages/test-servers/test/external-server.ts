import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ServerHandle, startRedis } from '../src/index.ts';
import { ask } from './ask.ts';

/** A run that is given a server: the one that the environment names, else one that we start to play that part. */
export function testExternalServer(): void {
  describe('an external Redis', () => {
    let given: ServerHandle;
    beforeAll(async () => {
      given = await startRedis();
    });
    afterAll(() => given.stop());
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    test('is used as it is and left alone', async () => {
      vi.stubEnv('LOCKS_TEST_REDIS_URL', given.url);
      const server = await startRedis();
      expect(server).toMatchObject({ url: given.url, host: given.host, port: given.port, pid: undefined });
      await server.stop();
      expect(await ask(given.url, 'PING')).toMatch(/^(\+PONG|-NOAUTH)/);
    });

    test.each(['pause', 'resume', 'kill', 'restart'] as const)('%s is refused with the way out', async (operation) => {
      vi.stubEnv('LOCKS_TEST_REDIS_URL', given.url);
      const server = await startRedis();
      await expect(server[operation]()).rejects.toThrow(
        new RegExp(`${operation}\\(\\) is not possible: .*Unset LOCKS_TEST_REDIS_URL .*LOCKS_TEST_SERVERS=docker`),
      );
    });

    test('cannot be given options', async () => {
      vi.stubEnv('LOCKS_TEST_REDIS_URL', given.url);
      await expect(startRedis({ args: ['--appendonly', 'yes'] })).rejects.toThrow(
        /LOCKS_TEST_REDIS_URL .*cannot be given "args"/,
      );
    });

    test('must be spoken to in plain Redis', async () => {
      vi.stubEnv('LOCKS_TEST_REDIS_URL', 'rediss://:hush-hush@localhost:1');
      await expect(startRedis()).rejects.toThrow(
        /^LOCKS_TEST_REDIS_URL starts with "rediss:", but only "redis:\/\/" is supported$/,
      );
    });
  });
}
