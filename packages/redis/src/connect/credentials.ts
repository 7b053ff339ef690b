import { LockError, askOptions, isLockError, secretText, tlsAnswer } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { Target } from './target.ts';

/** The credentials and TLS options of a connection. */
export interface Shown {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
  /** Options of TLS, if it is used. */
  readonly tls: object | undefined;
}

/** The credentials of a client's connections. */
export interface Credentials {
  /** One of the options is a function, so they may differ for each connection. */
  readonly change: boolean;
  /** The constant options. `tls` is empty until its function has returned. */
  readonly shown: Shown;
  /** Why the latest function call failed. Waits for one in progress. */
  failure(): Promise<LockError | undefined>;
  /** The credentials of the next connection. Functions are called again. */
  ask(): Promise<Shown>;
  /** The server has accepted a connection. */
  accepted(): void;
  /**
   * The error to report instead of `error`. If a server refuses credentials that change, it may
   * accept the next ones.
   */
  refused(error: Error): Error;
  /** The same, or why the latest function call failed. */
  explain(error: Error): Error;
}

const texts = {
  username: secretText,
  password: secretText,
  sentinelUsername: secretText,
  sentinelPassword: secretText,
};
const readers = { ...texts, tls: tlsAnswer };

/** The credentials of `target`, each of which may be a function. */
export function credentialsOf(target: Target, runtime: Runtime): Credentials {
  const names = Object.keys(texts) as (keyof typeof texts)[];
  let tls = typeof target.tls === 'function' ? {} : optionsOf(target.tls);
  let failure: LockError | undefined;
  let asking: Promise<Shown> | undefined;
  let wasAccepted = false;

  async function askAll(): Promise<Shown> {
    try {
      const { where } = redisSource;
      const answers = await askOptions(target, readers, { where, runtime, within: target.connectTimeout });
      tls = optionsOf(answers.tls);
      failure = undefined;
      return { ...answers, tls };
    } catch (error) {
      if (isLockError(error)) failure = error;
      throw error;
    }
  }

  function refused(error: Error): Error {
    if (!change || !wasAccepted || !/\b(?:NOAUTH|WRONGPASS)\b/.test(error.message)) return error;
    return new LockError('LOCK_UNAVAILABLE', `${error.message} The next connection asks for the credentials again.`);
  }

  const change = [...names, 'tls' as const].some((name) => typeof target[name] === 'function');
  return {
    change,
    get shown() {
      const known = names.map((name) => [name, typeof target[name] === 'function' ? undefined : target[name]]);
      return { ...(Object.fromEntries(known) as Omit<Shown, 'tls'>), tls };
    },
    ask: () => (asking = askAll()),
    async failure() {
      await asking?.catch(() => {});
      return failure;
    },
    accepted() {
      wasAccepted = true;
    },
    refused,
    explain: (error) => failure ?? refused(error),
  };
}

function optionsOf(tls: true | object | undefined): object | undefined {
  return tls === true ? {} : tls;
}
