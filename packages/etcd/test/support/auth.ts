import { askEtcd } from '@locks/test-servers';
import type { ServerAddress } from '@locks/test-servers';
import { base64 } from './values.ts';

/** Turns authentication on: `app` may use the keys below `locks/`, and nothing else. */
export async function enableAuth(server: ServerAddress): Promise<void> {
  const call = (path: string, body: object): Promise<unknown> => askEtcd(server, `auth/${path}`, body);
  await call('role/add', { name: 'locks' });
  const perm = { permType: 'READWRITE', key: base64('locks/'), range_end: base64('locks0') };
  await call('role/grant', { name: 'locks', perm });
  for (const [name, password, role] of [
    ['root', 'root', 'root'],
    ['app', 'secret', 'locks'],
  ]) {
    await call('user/add', { name, password });
    await call('user/grant', { user: name, role });
  }
  await call('enable', {});
}

/** Gives the user another password. */
export async function changePassword(server: ServerAddress, name: string, password: string): Promise<void> {
  const root = { name: 'root', password: 'root' };
  const { token } = await askEtcd<{ token: string }>(server, 'auth/authenticate', root);
  await askEtcd(server, 'auth/user/changepw', { name, password }, { headers: { authorization: token } });
}
