import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerHandle } from '../src/index.ts';
import { type Kind, over } from './kinds/kind.ts';

/**
 * A run that is given a server: the one that the environment names, else one that we start to play
 * that part.
 */
export function testExternalServer(kind: Kind): void {
  const variable = `LOCKS_TEST_${kind.name.toUpperCase()}_URL`;

  describe(`an external ${kind.name}`, () => {
    let given: ServerHandle;
    beforeAll(async () => {
      given = await kind.start();
    });
    afterAll(() => given.stop());
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    test('is used as it is and left alone', async () => {
      vi.stubEnv(variable, given.url);
      const server = await kind.start();
      expect(server).toMatchObject({ url: given.url, host: given.host, port: given.port, pid: undefined });
      await server.stop();
      await over(kind, given.url, (session) => session.ping());
    });

    test.each(['pause', 'resume', 'kill', 'restart', 'log'] as const)(
      '%s is refused with the way out',
      async (operation) => {
        vi.stubEnv(variable, given.url);
        const server = await kind.start();
        await expect(server[operation]()).rejects.toThrow(
          new RegExp(`${operation}\\(\\) is not possible: .*Unset ${variable} .*LOCKS_TEST_SERVERS=docker`),
        );
      },
    );

    test('cannot be given options', async () => {
      vi.stubEnv(variable, given.url);
      await expect(kind.start(kind.durable.args === undefined ? { args: [] } : kind.durable)).rejects.toThrow(
        new RegExp(`${variable} .*cannot be given "(args|config)"`),
      );
    });

    test('must be spoken to by its own protocol, without TLS', async () => {
      vi.stubEnv(variable, 'https://:hush-hush@localhost:1');
      const failure = await kind.start().catch((error: unknown) => error);
      expect(String(failure)).toBe(`Error: ${variable} starts with "https:", but only "${kind.scheme}//" is supported`);
    });
  });
}
