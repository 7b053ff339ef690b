export { createEtcdProvider, fromConfig } from './config.ts';
export type { EtcdConfigOptions } from './config.ts';
export type { EtcdOptions } from './options/options.ts';
