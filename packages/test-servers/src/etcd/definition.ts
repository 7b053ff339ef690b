import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFolders, ServerDefinition } from '../server/definition.ts';
import { selfSigned } from '../support/self-signed.ts';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { addressOf } from '../server/address.ts';

/** Options of `startEtcd` and of the members of `startEtcdCluster`. */
export interface EtcdServerOptions {
  /**
   * Further arguments of `etcd`, such as `['--auth-token-ttl', '1']`. They override all others.
   * @default []
   */
  readonly args?: readonly string[];
  /** Clients need TLS. Its certificate is `selfSigned`. Local processes only. @default false */
  readonly tls?: boolean;
}

/** How a member of a cluster finds the others. */
export interface MemberSettings {
  readonly name: string;
  /** The port for other members. */
  readonly peerPort: number;
  /** The arguments about all members, of the next start. */
  cluster(): readonly string[];
}

/**
 * Short elections allow short leases: the least time to live is 1 s, where etcd's defaults give 2
 * s.
 */
const elections = ['--heartbeat-interval', '50', '--election-timeout', '500'];

const alone = ['--listen-peer-urls', 'http://127.0.0.1:0'];

/** One etcd, alone or a member of a cluster. */
export function defineEtcd({ args = [], tls = false }: EtcdServerOptions, member?: MemberSettings): ServerDefinition {
  const clients = (host: string, port: number): string => `${tls ? 'https' : 'http'}://${host}:${port}`;
  const fileIn = ({ folder }: LocalFolders, name: string): string => join(folder, `${name}.pem`);
  const image = 'quay.io/coreos/etcd:v3.5.17';
  return {
    name: 'etcd',
    image,
    containerPort: 2379,
    containerCommand: [
      ...['etcd', '--listen-client-urls', clients('0.0.0.0', 2379), '--advertise-client-urls'],
      ...[clients('0.0.0.0', 2379), ...elections, ...args],
    ],
    program: { binary: 'etcd', debianPackage: 'etcd-server', macos: 'brew install etcd' },
    ...(tls && {
      async configure(folders: LocalFolders) {
        for (const name of ['cert', 'key'] as const) await writeFile(fileIn(folders, name), selfSigned[name]);
      },
    }),
    localArguments: (folders, port) => [
      ...['--data-dir', folders.dataFolder, '--logger', 'zap', '--log-level', 'warn'],
      ...['--listen-client-urls', clients('127.0.0.1', port)],
      ...['--advertise-client-urls', clients('127.0.0.1', port)],
      ...(member === undefined
        ? alone
        : [
            ...['--name', member.name, '--listen-peer-urls', `http://127.0.0.1:${member.peerPort}`],
            ...member.cluster(),
          ]),
      ...(tls ? ['--cert-file', fileIn(folders, 'cert'), '--key-file', fileIn(folders, 'key')] : []),
      ...elections,
      ...args,
    ],
    portTaken: /address already in use/,
    url: (host, port) => `${tls ? 'etcds' : 'etcd'}://${host}:${port}`,
    probe: probeEtcd,
  };
}

/** Resolves when the etcd at `url` is healthy; otherwise rejects, within 1 s. */
function probeEtcd(url: URL): Promise<void> {
  const { host, port } = addressOf(url, 2379);
  const tls = url.protocol === 'etcds:';
  return new Promise((resolve, reject) => {
    const options = {
      host,
      port,
      path: '/health',
      agent: false,
      ...(tls && { ...selfSigned, rejectUnauthorized: false }),
    };
    const request = (tls ? secure : plain)(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.once('error', reject);
      response.once('end', () => {
        clearTimeout(deadline);
        if (/"health":\s*"true"/.test(text)) resolve();
        else reject(new Error(`it says ${text.slice(0, 200)}`));
      });
    });
    const deadline = setTimeout(() => request.destroy(new Error('no answer within 1000 ms')), 1_000);
    request.once('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    request.end();
  });
}
