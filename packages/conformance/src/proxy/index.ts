export type { Direction, Trap, TrapOptions, Way } from './conditions.ts';
export type { Target } from './dial.ts';
export type { Rewrite } from './link.ts';
export { proxiedProviders } from './proxied-providers.ts';
export type { ProxiedOptions, ProxiedProviders } from './proxied-providers.ts';
export { startProxy } from './proxy.ts';
export type { CutOptions, Proxy, ProxyOptions } from './proxy.ts';
