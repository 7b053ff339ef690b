import { LockError, misconfigured } from '@locks/core/adapter';
import type { Answer } from '../wire/answer.ts';
import type { FailedStep } from '../wire/multi.ts';

/** Whether a request may have been executed: the error in its answer is unknown to this version. */
export function isDoubtful(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.error === 'OTHER';
}

/** The meaning of refusals that no retry fixes, by error. */
const permanent: Partial<Record<string, (where: string) => string>> = {
  NO_AUTH: (where) => `the session may not do that at ${where}: check option "auth" and the ACLs of the nodes above`,
  INVALID_ACL: (where) => `the server does not take the ACL for ${where}: check options "acl" and "auth"`,
  UNIMPLEMENTED: (where) => `the server does not know the request for ${where}: it must be 3.5 or newer`,
  EPHEMERAL_ON_LOCAL_SESSION: (where) =>
    `the server has local sessions, which have no ephemeral nodes such as ${where}: set localSessionsUpgradingEnabled=true there`,
  NO_CHILDREN_FOR_EPHEMERALS: (where) =>
    `${where} is the lock of another program, a node without a folder: use another "root"`,
};

/** The error for a request that should have succeeded. */
export function refusal({ error, code }: Pick<FailedStep, 'error' | 'code'>, path: string): LockError {
  const where = JSON.stringify(path);
  const why = permanent[error]?.(where);
  if (why !== undefined) return misconfigured('ZooKeeper', why);
  return new LockError('LOCK_UNAVAILABLE', `ZooKeeper refused a request at ${where}: ${error} (${code}).`);
}

/** The error for a missing node above the root, which is not created with the ACL of one user. */
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
