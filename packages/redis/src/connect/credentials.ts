import { LockError, askOptions, isLockError, secretText, tlsAnswer } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { Target } from './target.ts';

/** What a connection shows to its server. */
export interface Shown {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
  /** Options of TLS, where it is used. */
  readonly tls: object | undefined;
}

/** What the connections of a client show. */
export interface Credentials {
  /** One of the options is a function, so each connection may show something else. */
  readonly change: boolean;
  /** The options that are no functions. `tls` is empty until its function was asked. */
  readonly shown: Shown;
  /** Why the latest question has no answer. Waits for an answer that is under way. */
  failure(): Promise<LockError | undefined>;
  /** What the next connection shows. Functions are asked again. */
  ask(): Promise<Shown>;
  /** The server has accepted a connection. */
  accepted(): void;
  /**
   * The error to tell in place of `error`. Where a server refuses credentials that change, it may
   * accept the next ones.
   */
  refused(error: Error): Error;
  /** The same, or why the latest question has no answer. */
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
