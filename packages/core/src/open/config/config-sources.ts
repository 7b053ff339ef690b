import { misconfigured } from '../../errors/misconfigured.ts';
import { describe } from '../../options/key.ts';
import { readConfigFile } from './config-file.ts';
import type { ConfigSource } from './config-file.ts';
import type { LocksConfig } from './locks-config.ts';

/** The configurations that `target` stands for, the strongest last. */
export async function configSources(target: string | URL | LocksConfig | undefined): Promise<readonly ConfigSource[]> {
  if (target === undefined) return await fromEnvironment();
  if (typeof target === 'string' || target instanceof URL) return [{ where: undefined, config: { url: target } }];
  if (typeof target !== 'object' || target === null) {
    throw misconfigured('openLocks', `it needs a URL or a configuration object, not ${describe(target)}`);
  }
  const { config: path, ...config } = target;
  const own = { where: undefined, config };
  return path === undefined ? [own] : [await readConfigFile(path), own];
}

/** An empty variable counts as one that is not set: that is how many tools unset one. */
async function fromEnvironment(): Promise<readonly ConfigSource[]> {
  const { LOCKS_CONFIG: path, LOCKS_URL: url } = process.env;
  const sources = path ? [await readConfigFile(path)] : [];
  if (url) sources.push({ where: 'LOCKS_URL', config: { url } });
  if (sources.length > 0) return sources;
  throw misconfigured(
    'openLocks',
    `no argument and no configuration; set LOCKS_URL (redis://host:6379), or name a file in LOCKS_CONFIG`,
  );
}
