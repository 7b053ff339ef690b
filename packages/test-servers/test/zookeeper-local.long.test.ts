import { expect, onTestFinished, test, vi } from 'vitest';
import { chooseServer } from '../src/start/choose.ts';
import { setSequence, startZookeeper } from '../src/index.ts';

test.runIf(chooseServer('zookeeper', 'zookeeper:3.9').kind === 'local')(
  'setSequence refuses what is no path and no number that can be given',
  async () => {
    await using server = await startZookeeper();
    for (const path of ['key', '/', '/key/', '']) {
      await expect(setSequence(server, path, 1)).rejects.toThrow(`"path" is "${path}"`);
    }
    for (const next of [-1, 2 ** 31, 0.5, Number.NaN]) {
      await expect(setSequence(server, '/key', next)).rejects.toThrow(`"next" is ${next}`);
    }
  },
);

test('TLS is refused where servers are no local processes', async () => {
  vi.stubEnv('LOCKS_TEST_SERVERS', 'docker');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startZookeeper({ tls: 'mutual' })).rejects.toThrow('"tls" is mutual, which only a local process is');
});
