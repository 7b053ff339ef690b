import { connect } from 'node:tls';
import { describe, expect, test, vi, afterEach } from 'vitest';
import { chooseServer } from '../src/start/choose.ts';
import { setSequence, startZookeeper } from '../src/index.ts';
import { openZookeeper } from './zookeeper-client.ts';

if (chooseServer('zookeeper', 'zookeeper:3.9').kind === 'local') {
  testTls();
  testSequence();
}
testRefusal();

function testTls(): void {
  describe('a ZooKeeper with TLS', () => {
    test('serves clients that trust its authority, besides those without TLS', async () => {
      await using server = await startZookeeper({ tls: 'server' });
      const { host, port, ca } = server.tls;
      const socket = connect({ host, port, ca });
      const answer = new Promise((resolve) => socket.once('data', (piece) => resolve(String(piece))));
      socket.write('ruok');
      expect(await answer).toBe('imok');
      using secure = await openZookeeper(server.tls);
      using plain = await openZookeeper(server.url);
      await secure.create('/secure', 'value');
      expect(await plain.get('/secure')).toBe('value');
      await server.restart();
      using again = await openZookeeper(server.tls);
      expect(await again.get('/secure')).toBe('value');
    });

    test('asks for a certificate when that is wanted of both sides', async () => {
      await using server = await startZookeeper({ tls: 'mutual' });
      using session = await openZookeeper(server.tls);
      expect(await session.get('/')).toBe('');
      const { host, port, ca } = server.tls;
      const failure = await new Promise<unknown>((resolve) => {
        const socket = connect({ host, port, ca });
        socket.once('error', resolve);
        socket.once('close', () => resolve(new Error('closed')));
        socket.write('ruok');
      });
      expect(String(failure)).toMatch(/bad certificate|certificate required|closed/);
      await expect(openZookeeper({ ...server.tls, ca: '' })).rejects.toThrow(/certificate/);
    });
  });
}

function testSequence(): void {
  describe('setSequence', () => {
    test('makes a node whose next child has that number, and keeps what was there', async () => {
      await using server = await startZookeeper();
      using before = await openZookeeper(server.url);
      await before.create('/locks', 'value');
      expect(await before.create('/locks/n-', '', 'sequential')).toBe('/locks/n-0000000000');
      await setSequence(server, '/locks/some/key', 2_147_483_646);
      await setSequence(server, '/locks', 1_000);
      using after = await openZookeeper(server.url);
      expect(await after.get('/locks')).toBe('value');
      expect(await after.get('/locks/n-0000000000')).toBe('');
      expect(await after.create('/locks/n-', '', 'sequential')).toBe('/locks/n-0000001000');
      expect(await after.create('/locks/some/key/n-', '', 'sequential')).toBe('/locks/some/key/n-2147483646');
      await server.kill();
      await server.restart();
      using again = await openZookeeper(server.url);
      expect(await again.create('/locks/n-', '', 'sequential')).toBe('/locks/n-0000001001');
      expect(await again.create('/locks/some/key/n-', '', 'sequential')).toBe('/locks/some/key/n-2147483647');
    });

    test('refuses what is no path and no number that can be given', async () => {
      await using server = await startZookeeper();
      for (const path of ['key', '/', '/key/', '']) {
        await expect(setSequence(server, path, 1)).rejects.toThrow(`"path" is "${path}"`);
      }
      for (const next of [-1, 2 ** 31, 0.5, Number.NaN]) {
        await expect(setSequence(server, '/key', next)).rejects.toThrow(`"next" is ${next}`);
      }
    });
  });
}

function testRefusal(): void {
  describe('TLS is refused', () => {
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    test('where servers are no local processes', async () => {
      vi.stubEnv('LOCKS_TEST_SERVERS', 'docker');
      await expect(startZookeeper({ tls: 'mutual' })).rejects.toThrow('"tls" is mutual, which only a local process is');
    });
  });
}
