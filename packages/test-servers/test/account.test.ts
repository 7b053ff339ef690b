import { afterEach, expect, test, vi } from 'vitest';
import { accountForServer } from '../src/local/account.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a server runs as we do, unless we are root', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  expect(await accountForServer('no-such-user')).toBeUndefined();
});

test('root runs a server that needs it as another user', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  expect(await accountForServer(undefined)).toBeUndefined();
  expect(await accountForServer('root')).toEqual({ uid: 0, gid: 0 });
});

test('root without that user is told what to do', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  await expect(accountForServer('no-such-user')).rejects.toThrow(
    'the server does not run as root, and there is no user "no-such-user" to run it as: create one, or use another user than root',
  );
});
