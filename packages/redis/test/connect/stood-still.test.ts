import { startRedis } from '@locks/test-servers';
import { describe } from 'vitest';
import { testStoodStill } from '../support/stood-still.ts';

describe('a process that stood still while its server ended its connections', () => {
  testStoodStill(async () => {
    const server = await startRedis();
    return { ports: [server.port], url: server.url, stop: () => server.stop() };
  });
});
