import { resolve } from 'node:path';
import { misconfigured } from '../../errors/misconfigured.ts';
import { describeGiven } from '../../options/read-options.ts';
import type { LocksConfig } from './locks-config.ts';
import { fillPlaceholders } from './placeholders.ts';

/** A configuration, and where it was read. */
export interface ConfigSource {
  /**
   * A path or the name of an environment variable, for messages. `undefined`: the caller's code.
   */
  readonly where: string | undefined;
  /** What stands there. */
  readonly config: LocksConfig;
}

/**
 * Reads a configuration file: JSON, with environment variables filled in. The path is relative to
 * the working directory.
 * @throws `LOCK_MISCONFIGURED` with the file.
 */
export async function readConfigFile(path: unknown): Promise<ConfigSource> {
  if (typeof path !== 'string' || path === '') {
    throw misconfigured('openLocks', `option "config" must be the path of a file, not ${describeGiven(path)}`);
  }
  if (path.includes('://')) {
    throw misconfigured(
      'openLocks',
      'the configuration file is named by a path; a URL belongs into LOCKS_URL or option "url"',
    );
  }
  const where = resolve(process.cwd(), path);
  const read = parse(await readText(where), where);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    // Its value is not shown: a text may be a URL with a password.
    throw misconfigured(where, 'it must have an object, such as { "url": "redis://host:6379" }');
  }
  return { where, config: fillPlaceholders(read, where) as LocksConfig };
}

async function readText(path: string): Promise<string> {
  // An import of it reads all its exports, which takes some ms.
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  try {
    // Some editors begin a file with a byte order mark.
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`;
    throw misconfigured('openLocks', `the configuration file ${path} ${why}`, { cause: error });
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Nothing else of the message is shown: it quotes text that may be a password.
    const at = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec((error as Error).message)?.[1];
    const line = at === undefined ? '' : ` at line ${text.slice(0, Number(at)).split('\n').length}`;
    throw misconfigured(where, `not JSON${line}`);
  }
}
