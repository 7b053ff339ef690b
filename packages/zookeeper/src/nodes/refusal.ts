import { LockError, misconfigured } from '@locks/core/adapter';
import type { Answer } from '../wire/answer.ts';
import type { FailedStep } from '../wire/multi.ts';

/** Whether a request may have been executed: this version does not know the error in its answer. */
export function isDoubtful(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.error === 'OTHER';
}

/** The error for a request that should have succeeded. */
export function refusal(answer: Pick<FailedStep, 'error' | 'code'>, path: string): LockError {
  const where = JSON.stringify(path);
  switch (answer.error) {
    case 'NO_AUTH':
      return misconfigured(
        'ZooKeeper',
        `the session may not do that at ${where}: check option "auth" and the ACLs of the nodes above`,
      );
    case 'INVALID_ACL':
      return misconfigured(
        'ZooKeeper',
        `the server does not take the ACL for ${where}: check options "acl" and "auth"`,
      );
    case 'UNIMPLEMENTED':
      return misconfigured('ZooKeeper', `the server does not know the request for ${where}: it must be 3.5 or newer`);
    case 'EPHEMERAL_ON_LOCAL_SESSION':
      return misconfigured(
        'ZooKeeper',
        `the server has local sessions, which have no ephemeral nodes such as ${where}: set localSessionsUpgradingEnabled=true there`,
      );
    case 'NO_CHILDREN_FOR_EPHEMERALS':
      return misconfigured(
        'ZooKeeper',
        `${where} belongs to a session: another client locks this key with "fair: false"`,
      );
    default:
      return new LockError(
        'LOCK_UNAVAILABLE',
        `ZooKeeper refused a request at ${where}: ${answer.error} (${answer.code}).`,
      );
  }
}

/** The error for a missing node above the root, which is not made with the ACL of one user. */
export function parentMissing(path: string, root: string): LockError {
  const [what, remedy] =
    path === '/'
      ? ['the chroot of the client', 'make it']
      : [`${path}, above the root of the locks (${root}),`, `make it, in zkCli.sh by "create ${path}"`];
  return misconfigured(
    'ZooKeeper',
    `${what} does not exist, and is not made with an ACL that may lock other services out: ${remedy}, or use another "root" or chroot`,
  );
}
