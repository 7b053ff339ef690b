export { createEtcdProvider, fromConfig } from './config.ts';
export type { EtcdConfigOptions } from './config.ts';
export { diagnose } from './diagnose.ts';
export { createEtcdGuard } from './guard.ts';
export type { EtcdGuard, GuardedOperation, LeaseCheck } from './guard.ts';
export type { EtcdOptions } from './options/options.ts';
