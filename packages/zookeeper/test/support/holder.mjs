// A process of its own that has a session with an ephemeral node. With `idle` it then has nothing
// more to do.
import { once } from 'node:events';
import { systemRuntime } from '@locks/core/adapter';
import { socketTransport } from '../../dist/servers/socket-transport.js';
import { SessionManager } from '../../dist/session/session-manager.js';
import { multi } from '../../dist/wire/multi.js';
import { create } from '../../dist/wire/requests.js';

process.send('ready');
const [{ address, path, sessionTimeout, idle }] = await once(process, 'message');

const sessions = new SessionManager({
  transport: socketTransport({
    addresses: [address],
    auth: [],
    sessionTimeout,
    tls: undefined,
    runtime: systemRuntime,
  }),
  runtime: systemRuntime,
  heartbeat: multi([{ type: 'check', path: '/' }]),
  prepare: async () => {},
});
const session = await sessions.ready(10_000);
const acl = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
await session.send(create({ path, data: Buffer.alloc(0), acl, kind: 'ephemeral' }));
process.send('holds');
if (idle) process.disconnect();
else {
  const { lost } = session;
  // Whatever this process looks at first: a message, its own timer or the clock.
  process.on('message', () => process.send({ alive: session.alive, aborted: lost.aborted }));
}
