export type { AclOption } from './acl.ts';
export { fromConfig } from './config.ts';
export type { ZookeeperConfigOptions } from './config-options.ts';
export { createZookeeperProvider } from './create-provider.ts';
export { GuardedOperationError, createZookeeperGuard } from './guard.ts';
export type { ZookeeperGuard } from './guard.ts';
export type { GuardedOperation } from './guarded-operations.ts';
export type { ZookeeperAuth } from './option-values.ts';
export type { Recipe, ZookeeperOptions, ZookeeperProviderOptions } from './options.ts';
