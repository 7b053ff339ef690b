import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';

const { hostname, port } = new URL(process.env.STORE);

/** Sends commands as text, over a connection of their own. */
async function send(...commands) {
  const socket = connect(Number(port), hostname);
  socket.write(commands.map((command) => `${command}\r\n`).join(''));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
}

let password = 'old';
let asked = 0;
await send('ACL SETUSER locker reset on >old ~* &* +@all');
const options = { username: 'locker', password: async () => ((asked += 1), password) };
const locks = await openLocks({ url: process.env.STORE, options });
const lease = await locks.acquire('asked');
const before = asked;
password = 'new';
await send('ACL SETUSER locker resetpass >new', 'CLIENT KILL USER locker');
while (asked === before) await sleep(10);
console.log(await locks.withLock('other', ({ held }) => held), await lease.release());
await locks.close();
