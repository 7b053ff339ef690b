import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import type { ReadZookeeperOptions } from '../options/options.ts';
import type { SeparateSession } from '../servers/separate-connection.ts';
import { modeIn, serverStatus } from '../servers/server-mode.ts';
import type { ServerMode } from '../servers/server-mode.ts';
import type { Acl } from '../wire/records.ts';
import { getAcl, getData } from '../wire/requests.ts';

/** A server that the configuration names. */
export interface NamedServer {
  readonly address: Address;
  readonly mode: ServerMode;
  /** Its answer to `srvr`; empty where it gives none. */
  readonly status: string;
}

/** The servers that are looked at, over a session at one of them. */
export interface Ensemble {
  readonly options: ReadZookeeperOptions;
  readonly servers: readonly NamedServer[];
  /** As the servers have decided, in ms. */
  readonly sessionTimeout: number;
  /** How many members vote. 0: one server runs alone. `undefined`: the user may not read it. */
  readonly voters: number | undefined;
  /** The rights to the root of the locks. `undefined`: it is not there yet. */
  readonly rights: () => Promise<readonly Acl[] | undefined>;
}

/** Where a server keeps the members of its ensemble, since 3.5. */
const membersPath = '/zookeeper/config';

/** Looks at the servers of `options`. */
export async function lookAt(
  options: ReadZookeeperOptions,
  { send, sessionTimeout }: SeparateSession,
  runtime: Runtime,
): Promise<Ensemble> {
  const { addresses, tls } = options;
  const asked = { tls, within: Math.min(options.timeout, 2_000), runtime };
  const look = async (address: Address): Promise<NamedServer> => {
    const status = await serverStatus(address, asked);
    return { address, mode: modeIn(status), status };
  };
  const [servers, members] = await Promise.all([Promise.all(addresses.map(look)), send(getData(membersPath))]);
  return {
    options,
    servers,
    sessionTimeout,
    voters: members.ok ? countVoters(members.value.data.toString()) : undefined,
    async rights() {
      const answer = await send(getAcl(options.root));
      if (answer.ok) return answer.value.acl;
      if (answer.error === 'NO_NODE') return undefined;
      throw new Error(`the server answers ${answer.error}`);
    },
  };
}

/** Lines such as `server.1=host:2888:3888:participant;0.0.0.0:2181`. */
function countVoters(text: string): number {
  const members = text.split('\n').filter((line) => line.startsWith('server.'));
  return members.filter((line) => !line.includes(':observer')).length;
}
