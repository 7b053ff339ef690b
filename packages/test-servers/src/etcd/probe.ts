import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { addressOf } from '../server/address.ts';
import { selfSigned } from '../support/self-signed.ts';

/** Resolves when the etcd at `url` says that it is healthy; rejects otherwise, within 1 s. */
export function probeEtcd(url: URL): Promise<void> {
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
