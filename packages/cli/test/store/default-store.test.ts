import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { defaultStore } from '../../src/store/default-store.ts';

vi.mock('node:fs', () => ({ mkdirSync: () => {} }));
vi.mock('node:os', async (original) => {
  const os = await original<{ readonly userInfo: typeof userInfo }>();
  return { ...os, userInfo: vi.fn(os.userInfo) };
});

afterEach(() => vi.unstubAllEnvs());

test.each(['', 'relative', './'])('a HOME of "%s" names no folder: the store is the same from each', (home) => {
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_STATE_HOME', 'relative');
  expect(defaultStore()).toBe(`sqlite:${join(userInfo().homedir, '.local/state/locks/locks.db')}?migrate=true`);
});

test('a user that the system does not know, without HOME, is told to name a store', () => {
  vi.stubEnv('HOME', '');
  vi.stubEnv('XDG_STATE_HOME', '');
  vi.mocked(userInfo).mockImplementationOnce(() => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  });
  expect(defaultStore).toThrow(expect.objectContaining({ exitCode: 78, message: expect.stringContaining('--url') }));
});
