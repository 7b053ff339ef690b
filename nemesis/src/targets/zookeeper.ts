import { startZookeeper, startZookeeperEnsemble } from '@locks/test-servers';
import type { ServerHandle, ZookeeperEnsemble } from '@locks/test-servers';
import zookeeper from 'node-zookeeper-client';
import type { Client } from 'node-zookeeper-client';
import { type FaultOf, type ListedTarget, list } from './listed.ts';
import { type Processes, kill, ofOne, old, pause, replaced, together } from './processes.ts';
import { endSession, sessionsOf } from './zookeeper-session.ts';

export const tickTime = 250;
const application = { adapters: ['zookeeper'], modules: ['node-zookeeper-client'] } as const;

/** In ms: ten ticks. */
export const ofServer = 2_500;
/**
 * A client leaves a member after a fifth of it without an answer, which three on two processors may
 * take.
 */
const ofEnsemble = 4_000;
const root = '/locks';

/** Runs `work` with a client of another application. */
async function asStranger<T>({ handles }: Processes, work: (client: Client) => Promise<T>): Promise<T> {
  const client = zookeeper.createClient(handles.map(({ host, port }) => `${host}:${port}`).join(','), {
    sessionTimeout: 5_000,
    retries: 2,
  });
  const connected = new Promise<void>((resolve, reject) => {
    client.once('connected', resolve);
    setTimeout(() => reject(new Error('no connection within 5 s')), 5_000).unref();
  });
  client.connect();
  try {
    await connected;
    return await work(client);
  } finally {
    client.close();
  }
}

/** One call of the client. */
async function call<T>(make: (done: (error: unknown, answer?: T) => void) => void): Promise<T | undefined> {
  return await new Promise((resolve, reject) =>
    make((error, answer) =>
      error ? reject(new Error('ZooKeeper refuses a request', { cause: error })) : resolve(answer),
    ),
  );
}

const childrenOf = async (client: Client, path: string): Promise<readonly string[]> =>
  (await call<string[]>((done) => client.getChildren(path, done)).catch(() => [])) ?? [];

const isOurs = (name: string): boolean => !name.startsWith('stranger');
const moment = { targets: 1, lasts: [0, 0] } as const;

/** What can be done to nodes and sessions. */
const byRequests: Readonly<Record<string, FaultOf<Processes>>> = {
  deleted: {
    ...moment,
    weight: 0.5,
    empties: true,
    begin: (servers) =>
      asStranger(servers, async (client) => {
        for (const key of await childrenOf(client, root)) {
          for (const node of await childrenOf(client, `${root}/${key}`)) {
            await call((done) => client.remove(`${root}/${key}/${node}`, -1, done)).catch(() => {});
          }
        }
      }),
  },
  'session ended': {
    ...moment,
    // All holds of its process end.
    empties: true,
    async begin({ handles }, _, amount) {
      const all = await Promise.all(
        handles.map(async (server) => (await sessionsOf(server).catch(() => [])).map((id) => ({ server, id }))),
      );
      const sessions = all.flat();
      const chosen = sessions[Math.floor(amount) % Math.max(1, sessions.length)];
      if (chosen !== undefined) await endSession(chosen.server, chosen.id);
    },
  },
  'foreign nodes': {
    ...moment,
    begin: (servers) =>
      asStranger(servers, async (client) => {
        const name = `stranger-${Math.floor(Math.random() * 1e6)}`;
        await call((done) => client.mkdirp(`${root}/${name}/lock-0000000000`, done)).catch(() => {});
        for (const key of (await childrenOf(client, root)).filter(isOurs).slice(0, 2)) {
          await call((done) => client.create(`${root}/${key}/${name}`, Buffer.from('nothing of ours'), done)).catch(
            () => {},
          );
        }
      }),
  },
  'rights revoked': {
    targets: 1,
    refuses: true,
    async begin(servers) {
      const { ACL, Permission, Id } = zookeeper;
      const set = (permission: number): Promise<void> =>
        asStranger(servers, async (client) => {
          const acls = [new ACL(permission, new Id('world', 'anyone'))];
          await call((done) => client.setACL(root, acls, -1, done));
          for (const key of await childrenOf(client, root)) {
            // It may be gone by now.
            await call((done) => client.setACL(`${root}/${key}`, acls, -1, done)).catch(() => {});
          }
        });
      await set(Permission.READ | Permission.ADMIN);
      return () => set(Permission.ALL);
    },
  },
};

/** So that a quota is not only reported. */
const config = { enforceQuota: 'true' };

/** Nothing can be created below the root. */
const quotaUsedUp: FaultOf<Processes> = {
  targets: 1,
  async begin(servers) {
    const node = `/zookeeper/quota${root}`;
    const limits = 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=1';
    await asStranger(servers, async (client) => {
      await call((done) => client.mkdirp(node, done));
      const texts = { zookeeper_stats: 'count=0,bytes=0', zookeeper_limits: limits };
      for (const [name, text] of Object.entries(texts)) {
        await call((done) => client.create(`${node}/${name}`, Buffer.from(text), done)).catch(() => {});
      }
    });
    return () =>
      asStranger(servers, async (client) => {
        for (const name of ['zookeeper_limits', 'zookeeper_stats'])
          await call((done) => client.remove(`${node}/${name}`, -1, done)).catch(() => {});
      });
  },
};

/** Nodes of claims below those of keys. */
export async function leftovers(servers: Processes): Promise<readonly string[]> {
  return await asStranger(servers, async (client) => {
    const left: string[] = [];
    for (const key of (await childrenOf(client, root)).filter(isOurs)) {
      for (const node of await childrenOf(client, `${root}/${key}`))
        if (isOurs(node)) left.push(`${root}/${key}/${node}`);
    }
    return left;
  });
}

interface Ensemble extends Processes {
  readonly ensemble: ZookeeperEnsemble;
}

const recovery = 10_000;

function ofMember(begin: (ensemble: ZookeeperEnsemble, member: ServerHandle) => () => unknown): FaultOf<Ensemble> {
  return {
    recovery,
    async begin({ ensemble }, server) {
      const member = ensemble.servers[server];
      const end = member === undefined ? undefined : begin(ensemble, member);
      return async () => void (await end?.());
    },
  };
}

const byMembers: Readonly<Record<string, FaultOf<Ensemble>>> = {
  'server-pause': { ...pause, recovery },
  'server-restart': { ...kill, recovery },
  'member replaced': { ...replaced, recovery },
  'cut off': ofMember((ensemble, member) => ensemble.partition(member)),
  lag: ofMember((ensemble, member) => ensemble.lag(member, 400)),
  'held back': ofMember((ensemble, member) => ensemble.hold(member)),
  mute: ofMember((ensemble, member) => ensemble.mute(member)),
  'leader killed': {
    targets: 1,
    recovery,
    async begin({ ensemble }) {
      const leader = await ensemble.leader();
      await leader.kill();
      return () => leader.restart();
    },
  },
};

/** The clients, with the addresses of `count` servers. */
function openings(count: number, sessionTimeout: number) {
  const hosts = Array.from({ length: count }, (_, server) => `{host:${server}}:{port:${server}}`).join(',');
  const options = { acl: 'open', timeout: 2_000 };
  const settings = { timeout: [1_000, 2_000], knownPlaces: [true, false] };
  return {
    url: () => ({
      args: { url: `zookeeper://${hosts}`, ttl: sessionTimeout, options: { ...options, sessionTimeout } },
      settings,
    }),
    'node-zookeeper-client': () => ({
      module: 'node-zookeeper-client',
      args: { ttl: sessionTimeout, options, sessionTimeout },
      settings: { ...settings, spinDelay: [20, 200] },
    }),
  } as const;
}

/** Keys of ZooKeeper have no cooldown. */
export const can: NonNullable<Parameters<typeof list>[0]['can']> = ({ lockDelay = 0, atLeast = 0 }) =>
  lockDelay === 0 && atLeast === 0;

export const zookeeperTargets: readonly ListedTarget[] = [
  list<Processes>({
    name: 'zookeeper',
    store: 'zookeeper',
    topology: 'one server',
    ...application,
    fair: true,
    ttl: ofServer,
    can,
    start: async () => together([await startZookeeper({ tickTime, config })]),
    servers: ({ handles }) => handles,
    openings: openings(1, ofServer),
    faults: { ...ofOne, 'server-old': { ...old, restores: true }, ...byRequests, 'quota used up': quotaUsedUp },
    leftovers,
  }),
  list<Ensemble>({
    name: 'ensemble',
    store: 'zookeeper',
    topology: 'three members',
    ...application,
    fair: true,
    healing: 8_000,
    ttl: ofEnsemble,
    can,
    async start() {
      const ensemble = await startZookeeperEnsemble({ tickTime, syncLimit: 8, initLimit: 40, partitions: true });
      return { ensemble, handles: ensemble.servers, stop: () => ensemble.stop() };
    },
    servers: ({ handles }) => handles,
    openings: openings(3, ofEnsemble),
    faults: { ...byRequests, ...byMembers },
    leftovers,
  }),
];
