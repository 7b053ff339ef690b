import { misconfigured } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';

/** A server that can be asked for its version. */
interface Asked {
  info(section: string): Promise<unknown>;
}

/**
 * @throws `LOCK_MISCONFIGURED` for a server that is too old for the scripts. A user without the
 * right to ask is let through.
 */
export async function checkVersion(server: Asked): Promise<void> {
  const text = String(await server.info('server').catch(() => ''));
  const [, version = '', major, minor] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(text) ?? [];
  if (version === '' || Number(major) * 1_000 + Number(minor) >= 6_002) return;
  throw misconfigured(redisSource.where, `the server is Redis ${version}, and it must be 6.2 or newer, or Valkey`);
}
