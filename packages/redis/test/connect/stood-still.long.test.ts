import { startRedis } from '@locks/test-servers';
import { describe } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { testStoodStill } from '../support/stood-still.ts';

describe.each(libraries)('a process that stood still, and %s', (library) => {
  testStoodStill(async () => {
    const server = await startRedis();
    return { ports: [server.port], url: `${server.url}?library=${library}`, stop: () => server.stop() };
  });
});
