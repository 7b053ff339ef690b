import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate and its private key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** An authority that was made up, and whom it vouches for. */
export interface Certificates {
  /** Its certificate, in PEM. */
  readonly ca: string;
  /** Valid for 127.0.0.1 and localhost. */
  readonly server: Identity;
  readonly client: Identity;
}

/**
 * Makes certificates that are valid from now on for 30 days; rejects when there is no `openssl` in
 * `PATH`.
 */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-test-certificates-'));
  const openssl = (...args: readonly string[]): Promise<unknown> => run('openssl', args, { cwd: folder });
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  async function identify(name: string, serial: number): Promise<Identity> {
    await writeFile(join(folder, `${name}.ext`), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    const subject = `/CN=locks test ${name}`;
    await openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', `${serial}`];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`];
    await openssl('x509', '-req', '-days', '30', ...authority, ...files);
    return { cert: await read(`${name}.pem`), key: await read(`${name}.key`) };
  }

  try {
    const subject = '/CN=locks test authority';
    await openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30', '-subj', subject);
    const [server, client] = await Promise.all([identify('server', 2), identify('client', 3)]);
    return { ca: await read('ca.pem'), server, client };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
