import { connect } from 'node:tls';
import { describe, expect, test, vi } from 'vitest';
import { chooseServer } from '../src/choose.ts';
import { fourLetterWord, modeOf, setSequence, startZookeeper } from '../src/index.ts';
import { testExternalServer } from './external-server.ts';
import { zookeeper } from './kinds/zookeeper.ts';
import { testLocalProcess } from './local-process.ts';
import { testOwnServer } from './own-server.ts';
import { openZookeeper } from './zookeeper-client.ts';

const way = chooseServer('zookeeper', 'zookeeper:3.9').kind;
if (way !== 'external') {
  testOwnServer(zookeeper, way);
  testOptions();
}
if (way === 'local') {
  testLocalProcess(zookeeper);
  testLocalOptions();
  testTls();
  testSequence();
}
testExternalServer(zookeeper);

function testOptions(): void {
  describe('a ZooKeeper', () => {
    test('grants sessions as long as its ticks say, allows any number of connections, and answers all words', async () => {
      await using server = await startZookeeper({ tickTime: 300 });
      using short = await openZookeeper(server.url, { timeout: 1 });
      using long = await openZookeeper(server.url, { timeout: 1_000_000 });
      expect([short.timeout, long.timeout]).toEqual([600, 6_000]);
      expect(await fourLetterWord(server, 'conf')).toMatch(/^maxClientCnxns=0$/m);
      expect(await fourLetterWord(server, 'cons')).toContain('to=6000');
      expect(await fourLetterWord(server, 'mntr')).toMatch(/^zk_server_state\tstandalone$/m);
      expect(await modeOf(server)).toBe('standalone');
    });

    test('a word is not waited for longer than was said', async () => {
      await using server = await startZookeeper();
      await server.pause();
      await expect(fourLetterWord(server, 'srvr', 50)).rejects.toThrow('no answer to srvr within 50 ms');
      expect(await modeOf(server)).toBeUndefined();
    });
  });
}

function testLocalOptions(): void {
  describe('the options of a ZooKeeper', () => {
    test('settings and properties of Java reach it, and settings win', async () => {
      await using server = await startZookeeper({
        minSessionTimeout: 123,
        maxSessionTimeout: 4_567,
        config: { maxClientCnxns: '37' },
        javaProperties: { 'jute.maxbuffer': '2000' },
      });
      using session = await openZookeeper(server.url, { timeout: 1 });
      expect(session.timeout).toBe(123);
      expect(await fourLetterWord(server, 'conf')).toMatch(/^maxClientCnxns=37$[^]*^maxSessionTimeout=4567$/m);
      await expect(session.create('/too-much', 'x'.repeat(3_000))).rejects.toThrow();
    });

    test('what changes files runs while the server is down, with the folder of its data', async () => {
      await using server = await startZookeeper();
      using session = await zookeeper.open(server.url);
      const folder = await session.dataFolder();
      const meanwhile = vi.fn(async (dataFolder: string) => {
        expect(dataFolder).toBe(folder);
        expect(server.pid).toBeUndefined();
      });
      await server.restart({ meanwhile });
      expect(meanwhile).toHaveBeenCalledOnce();
      await expect(server.restart({ meanwhile: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
      expect(server.pid).toBeUndefined();
      await server.restart();
      expect(await modeOf(server)).toBe('standalone');
    });
  });
}

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
