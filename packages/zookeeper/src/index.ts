export type { AclOption } from './options/acl.ts';
export { fromConfig } from './config.ts';
export type { ZookeeperConfigOptions } from './options/config-options.ts';
export { createZookeeperProvider } from './create-provider.ts';
export { GuardedOperationError, createZookeeperGuard } from './guard/guard.ts';
export type { ZookeeperGuard } from './guard/guard.ts';
export type { GuardedOperation } from './guard/operations.ts';
export type { ZookeeperAuth } from './options/readers.ts';
export type { Recipe, ZookeeperOptions, ZookeeperProviderOptions } from './options/options.ts';
