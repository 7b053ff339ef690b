import type { ConnectionOptions } from 'node:tls';
import { askOption, secretText, tlsAnswer } from '@locks/core/adapter';
import type { Asked, Runtime } from '@locks/core/adapter';
import { source } from '../options/options.ts';
import type { AuthenticateRequest } from '../wire/messages.ts';

/** What connections show, asked for each time. */
export interface Secrets {
  /** `undefined`: no TLS. */
  tls(): Promise<ConnectionOptions | undefined>;
  /** `undefined`: no user. */
  credentials(): Promise<AuthenticateRequest | undefined>;
}

/** The options that secrets come from. */
type SecretOptions = Readonly<
  Record<'username' | 'password', Asked<string> | undefined> & { tls: Asked<boolean | object> | undefined }
>;

/** The secrets of `options`. A function may take `within` ms. */
export function secretsOf({ username, password, tls }: SecretOptions, runtime: Runtime, within: number): Secrets {
  const { where } = source;
  const text = (name: string, option: Asked<string>): Promise<string> =>
    askOption(option, { where, name, reader: secretText, runtime, within });
  return {
    async tls() {
      if (tls === undefined || tls === false) return undefined;
      const asking = { where, name: 'tls', reader: tlsAnswer, runtime, within };
      const answer = await askOption(tls as Asked<true | object>, asking);
      return answer === true ? {} : answer;
    },
    async credentials() {
      if (username === undefined || password === undefined) return undefined;
      const [name, secret] = await Promise.all([text('username', username), text('password', password)]);
      return { name, password: secret };
    },
  };
}
