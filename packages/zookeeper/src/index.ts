export type {
  ClientAcl,
  ClientCallback,
  ClientEvent,
  ClientStat,
  ClientTransaction,
  NodeZookeeperClient,
} from './clients/node-zookeeper-client/client.ts';
export { fromConfig } from './config.ts';
export { diagnose } from './diagnose.ts';
export { createZookeeperProvider } from './create-provider.ts';
export { createZookeeperGuard } from './guard/guard.ts';
export type { ZookeeperGuard } from './guard/guard.ts';
export type { GuardedOperation } from './guard/operations.ts';
export { GuardedOperationError } from './guard/transaction.ts';
export type { AclOption } from './options/acl.ts';
export type { ZookeeperConfigOptions } from './options/config-options.ts';
export type { Recipe, ZookeeperOptions, ZookeeperProviderOptions } from './options/options.ts';
export type { ZookeeperAuth } from './options/readers.ts';
export type { SecretOptions } from './options/secrets.ts';
export type { SessionMessage, SessionState } from './session/session-channel.ts';
export type { Acl } from './wire/records.ts';
export type { ZookeeperProvider } from './zookeeper-provider.ts';
