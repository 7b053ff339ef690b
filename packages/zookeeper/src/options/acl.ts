import { LockError } from '@locks/core/adapter';
import type { Acl } from '../wire/records.ts';

/** Who may do what with the nodes: `creator`: whoever showed the same credentials; `open`: everybody who reaches the servers. */
export type AclOption = 'creator' | 'open' | readonly Acl[];

const all = 31;

/**
 * The list for every node that is made. Nothing is open by default.
 * @throws `LOCK_MISCONFIGURED` when nothing says who may, or the creator is nobody.
 */
export function aclFrom(
  option: AclOption | undefined,
  identified: { readonly byCredentials: boolean; readonly byTls: boolean },
): readonly Acl[] {
  if (option === 'open') return [{ scheme: 'world', id: 'anyone', permissions: all }];
  if (typeof option === 'object') return option;
  if (option === undefined && !identified.byCredentials) {
    throw misconfigured(
      'nothing says who may change the nodes of its locks: give option "auth" (or "username" and "password") for nodes of that user alone, or acl: "open" for nodes that everybody who reaches the servers may change',
    );
  }
  if (!identified.byCredentials && !identified.byTls) {
    throw misconfigured(
      'option "acl" is "creator", but nothing says who that is: give option "auth" (or "username" and "password"), or "tls" with a client certificate',
    );
  }
  return [{ scheme: 'auth', id: '', permissions: all }];
}

/** Whether everybody may do everything. */
export function isOpen(acl: readonly Acl[]): boolean {
  return acl.some(({ scheme, permissions }) => scheme === 'world' && permissions === all);
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/zookeeper: ${why}.`);
}
