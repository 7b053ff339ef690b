/** The store of a configuration, without locks: for programs that inspect stores. */
export { adapters, loadAdapter, migration } from './adapter-modules.ts';
export type { KnownAdapter } from './adapter-modules.ts';
export type { ConfigSource } from './config/config-sources.ts';
export { configSources } from './config/config-sources.ts';
export { mergeSources } from './settings.ts';
export type { Backend, Settings } from './settings.ts';
export { openProvider } from './open-provider.ts';
