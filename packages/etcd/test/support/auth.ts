import type { ServerAddress } from '@locks/test-servers';
import { base64, gateway } from './values.ts';

/** Turns authentication on: `app` may use the keys below `locks/`, and nothing else. */
export async function enableAuth(server: ServerAddress): Promise<void> {
  const call = (path: string, body: object): Promise<unknown> => gateway(`auth/${path}`, body, server);
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
  const { host, port } = server;
  const login = (await gateway('auth/authenticate', { name: 'root', password: 'root' }, server)) as { token: string };
  const response = await fetch(`http://${host}:${port}/v3/auth/user/changepw`, {
    method: 'POST',
    headers: { authorization: login.token },
    body: JSON.stringify({ name, password }),
  });
  if (!response.ok) throw new Error(await response.text());
}
