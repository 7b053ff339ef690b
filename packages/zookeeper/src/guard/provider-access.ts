import { misconfigured } from '@locks/core/adapter';
import type { Traits } from '@locks/core';
import type { Session } from '../session/session.ts';
import type { Acl } from '../wire/records.ts';
import type { ZookeeperProvider } from '../zookeeper-provider.ts';

export interface ProviderAccess {
  readonly traits: Pick<Traits, 'fair'>;
  /** Of the nodes that are made. */
  readonly acl: readonly Acl[];
  /** The result of `work` in the session, within the timeout of the provider. */
  inSession<T>(work: (session: Session) => Promise<T>, what: string, key: string): Promise<T>;
  /** The node that is there as long as `owner` holds. `undefined`: it does not hold. */
  nodeOf(owner: string): { readonly path: string; readonly session: Session } | undefined;
}

/** What `provider` gives to guards. `LOCK_MISCONFIGURED` for a provider of another backend. */
export function accessOf(provider: ZookeeperProvider): ProviderAccess {
  const access = provider as Partial<ProviderAccess> & ZookeeperProvider;
  if (typeof access?.inSession === 'function') return access as ProviderAccess & ZookeeperProvider;
  throw misconfigured('createZookeeperGuard', 'it needs a provider of createZookeeperProvider');
}
