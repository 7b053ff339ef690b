import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerHandle } from '../src/index.ts';
import { over, redis } from './redis.ts';

/**
 * A run that is given a server: the one that the environment names, else one that we start to play
 * that part.
 */
export function testExternalServer(): void {
  const variable = 'LOCKS_TEST_REDIS_URL';

  describe('an external redis', () => {
    let given: ServerHandle;
    beforeAll(async () => {
      given = await redis.start();
    });
    afterAll(() => given.stop());
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    test('is used as it is and left alone', async () => {
      vi.stubEnv(variable, given.url);
      const server = await redis.start();
      expect(server).toMatchObject({ url: given.url, host: given.host, port: given.port, pid: undefined });
      await server.stop();
      await over(given.url, (session) => session.ping());
    });

    test.each(['pause', 'resume', 'kill', 'restart', 'log'] as const)(
      '%s is refused with the way out',
      async (operation) => {
        vi.stubEnv(variable, given.url);
        const server = await redis.start();
        await expect(server[operation]()).rejects.toThrow(
          new RegExp(`${operation}\\(\\) is not possible: .*Unset ${variable} .*LOCKS_TEST_SERVERS=docker`),
        );
      },
    );

    test('cannot be given options', async () => {
      vi.stubEnv(variable, given.url);
      await expect(redis.start(redis.durable)).rejects.toThrow(
        new RegExp(`${variable} .*cannot be given "(args|config)"`),
      );
    });

    test('must be spoken to by its own protocol, without TLS', async () => {
      vi.stubEnv(variable, 'https://:hush-hush@localhost:1');
      const failure = await redis.start().catch((error: unknown) => error);
      expect(String(failure)).toBe(`Error: ${variable} starts with "https:", but only "redis://" is supported`);
    });
  });
}
