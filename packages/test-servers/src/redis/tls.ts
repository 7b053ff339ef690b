import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFolders, ServerDefinition } from '../server/definition.ts';
import { selfSigned } from '../support/self-signed.ts';

/** The ports with TLS, and the CA of their certificate. */
export interface TlsEntrance {
  readonly url: string;
  /** Those in the URL, in its order. */
  readonly ports: readonly number[];
  /** Those of the servers, in their order. */
  readonly serverPorts: readonly number[];
  /** The certificate of the issuer, as PEM. */
  readonly ca: string;
}

/** `redis+cluster://a:1,b:2/x` with other ports, and TLS. */
export function tlsEntrance(
  url: string,
  ports: readonly number[],
  serverPorts: readonly number[] = ports,
): TlsEntrance {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return {
    url: url.replace('redis', 'rediss').replace(/\/\/[^/]*/, `//${hosts}`),
    ports,
    serverPorts,
    ca: selfSigned.cert,
  };
}

/**
 * `definition` with a second port, with TLS. Servers also use TLS among themselves, and announce
 * these ports to clients with TLS.
 */
export function withTls(definition: ServerDefinition, tlsPort: number | undefined): ServerDefinition {
  if (tlsPort === undefined) return definition;
  const fileIn = ({ folder }: LocalFolders, name: string): string => join(folder, `${name}.pem`);
  return {
    ...definition,
    async configure(folders, port) {
      for (const name of ['cert', 'key'] as const) {
        await writeFile(fileIn(folders, name), selfSigned[name], { mode: 0o644 });
      }
      await definition.configure?.(folders, port);
    },
    localArguments: (folders, port) => [
      ...definition.localArguments(folders, port),
      ...['--tls-port', `${tlsPort}`, '--tls-auth-clients', 'no', '--tls-replication', 'yes'],
      ...['--tls-cert-file', fileIn(folders, 'cert'), '--tls-key-file', fileIn(folders, 'key')],
      ...['--tls-ca-cert-file', fileIn(folders, 'cert')],
    ],
  };
}
