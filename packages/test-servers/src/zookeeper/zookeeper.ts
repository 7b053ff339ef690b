import { join } from 'node:path';
import { connect } from 'node:tls';
import { chooseServer } from '../start/choose.ts';
import type { ServerDefinition } from '../server/definition.ts';
import type { ServerHandle } from '../server/handle.ts';
import { startOnFreePort } from '../server/ports.ts';
import { startServer } from '../start/start-server.ts';
import { ask } from '../support/ask.ts';
import { selfSigned } from '../support/self-signed.ts';
import { type ZookeeperOptions, defineZookeeper, zookeeperImage } from './definition.ts';

/** Options of `startZookeeper`. */
export interface ZookeeperServerOptions extends ZookeeperOptions {
  /**
   * TLS on a port of its own, beside the one without. `'server'` asks clients for no certificate.
   * `'mutual'` lets only those in that have one of the handle's authority. Local processes only.
   * @default none
   */
  readonly tls?: 'server' | 'mutual';
}

/** What a client needs to be served with TLS; all but the address are PEM. */
export interface ZookeeperTls {
  readonly host: string;
  readonly port: number;
  /** The certificate of the authority that vouches for the server. */
  readonly ca: string;
  /** The client's own certificate, for `'mutual'`. */
  readonly cert: string;
  /** The private key of `cert`. */
  readonly key: string;
}

/** A ZooKeeper with a port for TLS. */
export interface ZookeeperTlsServer extends ServerHandle {
  /** The same for the life of the handle. */
  readonly tls: ZookeeperTls;
}

/**
 * Starts a ZooKeeper of its own for the caller, alone, in the way that the environment chooses (see
 * the README). Resolves when it serves clients; rejects with the end of its output when it does not
 * within 60 s. Rejects when `LOCKS_TEST_ZOOKEEPER_URL` names an external server and options are
 * given, for it cannot be given any.
 */
export function startZookeeper(
  options: ZookeeperServerOptions & { readonly tls: 'server' | 'mutual' },
): Promise<ZookeeperTlsServer>;
export function startZookeeper(options?: ZookeeperServerOptions): Promise<ServerHandle>;
export function startZookeeper(options: ZookeeperServerOptions = {}): Promise<ServerHandle> {
  const { tls, ...others } = options;
  return tls === undefined ? startServer(defineZookeeper(others), Object.keys(others)) : startWithTls(others, tls);
}

async function startWithTls(options: ZookeeperOptions, mode: 'server' | 'mutual'): Promise<ZookeeperTlsServer> {
  if (chooseServer('zookeeper', zookeeperImage).kind !== 'local') {
    throw new Error(
      `"tls" is ${mode}, which only a local process is: unset LOCKS_TEST_SERVERS and LOCKS_TEST_ZOOKEEPER_URL`,
    );
  }
  const host = '127.0.0.1';
  return startOnFreePort(host, async (port) => {
    const definition = defineZookeeper(options, {
      settings: ({ folder }) => ({
        serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
        secureClientPort: `${port}`,
        secureClientPortAddress: host,
        'ssl.keyStore.location': join(folder, 'server.pem'),
        'ssl.trustStore.location': join(folder, 'authority.pem'),
        'ssl.clientAuth': mode === 'mutual' ? 'need' : 'none',
      }),
      files: { 'server.pem': `${selfSigned.key}${selfSigned.cert}`, 'authority.pem': selfSigned.cert },
    });
    const tls = { host, port, ca: selfSigned.cert, ...selfSigned };
    const probe: ServerDefinition['probe'] = async (url, local) => {
      await definition.probe(url, local);
      await probeTls(tls);
    };
    return Object.assign(await startServer({ ...definition, probe }, []), { tls });
  });
}

/**
 * The server opens this port after the other one. Resolves when it serves clients; rejects
 * otherwise, within about 1 s.
 */
async function probeTls(tls: ZookeeperTls): Promise<void> {
  const answer = await ask(connect(tls), 'srvr', 'srvr');
  if (!/^Mode: /m.test(answer)) throw new Error(`the server says with TLS: ${answer.split('\n', 1)[0] ?? ''}`);
}
