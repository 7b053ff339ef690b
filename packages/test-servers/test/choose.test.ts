import { expect, test } from 'vitest';
import { chooseServer } from '../src/start/choose.ts';

const image = 'redis:8-alpine';

test('servers are local processes unless the environment says otherwise', () => {
  expect(chooseServer('redis', image, {})).toEqual({ kind: 'local' });
  expect(chooseServer('redis', image, { LOCKS_TEST_SERVERS: '', LOCKS_TEST_REDIS_URL: '' })).toEqual({ kind: 'local' });
  expect(chooseServer('redis', image, { LOCKS_TEST_SERVERS: 'local' })).toEqual({ kind: 'local' });
});

test('docker uses the image that the environment names, else the usual one', () => {
  expect(chooseServer('redis', image, { LOCKS_TEST_SERVERS: 'docker' })).toEqual({ kind: 'docker', image });
  expect(
    chooseServer('redis', image, { LOCKS_TEST_SERVERS: 'docker', LOCKS_TEST_REDIS_IMAGE: 'valkey/valkey:8' }),
  ).toEqual({
    kind: 'docker',
    image: 'valkey/valkey:8',
  });
});

test('a URL wins over docker, and only for its own kind of server', () => {
  const env = { LOCKS_TEST_SERVERS: 'docker', LOCKS_TEST_REDIS_URL: 'redis://somewhere:6380' };
  expect(chooseServer('redis', image, env)).toEqual({
    kind: 'external',
    url: new URL('redis://somewhere:6380'),
    variable: 'LOCKS_TEST_REDIS_URL',
  });
  expect(chooseServer('postgres', 'postgres:18-alpine', env).kind).toBe('docker');
});

test('mistakes are named, but a URL that may hold a password is not repeated', () => {
  expect(() => chooseServer('redis', image, { LOCKS_TEST_SERVERS: 'podman' })).toThrow(
    'LOCKS_TEST_SERVERS is "podman": use "docker" for containers, "local" (or nothing) for local processes',
  );
  expect(() => chooseServer('redis', image, { LOCKS_TEST_REDIS_URL: 'hush hush' })).toThrow(
    /^LOCKS_TEST_REDIS_URL is not a URL: write it like redis:\/\/host:port$/,
  );
});
