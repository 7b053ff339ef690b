import type { ConnectionOptions } from 'node:tls';
import { askOption, askOptions, secretText, tlsAnswer } from '@locks/core/adapter';
import type { Asked, Runtime } from '@locks/core/adapter';
import { source } from '../options/options.ts';
import type { AuthenticateRequest } from '../wire/messages.ts';

/** Credentials and TLS options, read for each connection. */
export interface Secrets {
  /** `undefined`: no TLS. */
  tls(): Promise<ConnectionOptions | undefined>;
  /** `undefined`: no user. */
  credentials(): Promise<AuthenticateRequest | undefined>;
}

/** The options with secrets. */
type SecretOptions = Readonly<
  Record<'username' | 'password', Asked<string> | undefined> & { tls: Asked<boolean | object> | undefined }
>;

/** The secrets of `options`. A function may take `within` ms. */
export function secretsOf({ username, password, tls }: SecretOptions, runtime: Runtime, within: number): Secrets {
  const asking = { where: source.where, runtime, within };
  return {
    async tls() {
      if (tls === undefined || tls === false) return undefined;
      const answer = await askOption(tls as Asked<true | object>, { ...asking, name: 'tls', reader: tlsAnswer });
      return answer === true ? {} : answer;
    },
    async credentials() {
      const texts = { username: secretText, password: secretText };
      const { username: name, password: secret } = await askOptions({ username, password }, texts, asking);
      return name === undefined || secret === undefined ? undefined : { name, password: secret };
    },
  };
}
