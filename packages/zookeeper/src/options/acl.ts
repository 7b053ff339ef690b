import { misconfigured } from '@locks/core/adapter';
import { allPermissions } from '../wire/records.ts';
import type { Acl } from '../wire/records.ts';

/**
 * The rights to the nodes. `creator`: for clients with the same credentials. `open`: for all
 * clients that reach the servers.
 */
export type AclOption = 'creator' | 'open' | readonly Acl[];

/**
 * The ACL of every created node. Nothing is open by default.
 * @throws `LOCK_MISCONFIGURED` if no option names the clients, or the creator has no identity.
 */
export function aclFrom(
  option: AclOption | undefined,
  identified: { readonly byCredentials: boolean; readonly byTls: boolean },
): readonly Acl[] {
  if (option === 'open') return [{ scheme: 'world', id: 'anyone', permissions: allPermissions }];
  if (typeof option === 'object') return option;
  if (option === undefined && !identified.byCredentials) {
    throw misconfigured(
      '@locks/zookeeper',
      'no option says which users may change the nodes of its locks: set option "auth" (or "username" and "password") for nodes of that user alone, or acl: "open" for nodes that every client of the servers may change',
    );
  }
  if (!identified.byCredentials && !identified.byTls) {
    throw misconfigured(
      '@locks/zookeeper',
      'option "acl" is "creator", but there are no credentials: set option "auth" (or "username" and "password"), or "tls" with a client certificate',
    );
  }
  return [{ scheme: 'auth', id: '', permissions: allPermissions }];
}
