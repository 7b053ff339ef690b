import { misconfigured } from '@locks/core/adapter';
import { redisSource } from '../../options/options.ts';

/**
 * Version 5 is refused (5.12.1 was tried): after a reconnection it answers no commands, or mixes up
 * replies. 6.0 cannot be distinguished from it.
 */
export function checkMajor(client: object): void {
  if ('_keyPrefix' in client) return;
  const why = 'it takes node-redis 6.1 or newer, as older versions may mix up replies after a reconnection';
  throw misconfigured(redisSource.where, `${why}. Upgrade "redis", or use ioredis or iovalkey`);
}

/** The option `keyPrefix` of `client`, which the library applies to its own commands only. */
export function keyPrefixOf(client: object): string {
  return (client as { readonly _keyPrefix?: string | undefined })._keyPrefix ?? '';
}
