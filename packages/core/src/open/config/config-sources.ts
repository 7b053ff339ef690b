import { resolve } from 'node:path';
import { misconfigured } from '../../errors/lock-error.ts';
import { describe } from '../../options/key.ts';
import { describeGiven } from '../../options/read-options.ts';
import { mayBeUrl, shownPath } from '../../options/unknown-option.ts';
import type { LocksConfig } from './locks-config.ts';

/** A configuration, and where it was read. */
export interface ConfigSource {
  /**
   * A path or the name of an environment variable, for messages. `undefined`: the caller's code.
   */
  readonly where: string | undefined;
  /** Its content. */
  readonly config: LocksConfig;
}

/** The configurations of `target`, the strongest last. */
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

/** An empty variable counts as unset, as many tools unset it so. */
async function fromEnvironment(): Promise<readonly ConfigSource[]> {
  const { LOCKS_CONFIG: path, LOCKS_URL: url } = process.env;
  const sources = path ? [await readConfigFile(path)] : [];
  if (url) sources.push({ where: 'LOCKS_URL', config: { url } });
  if (sources.length > 0) return sources;
  throw misconfigured(
    'openLocks',
    `no URL or configuration was given; pass one, or set LOCKS_URL (redis://host:6379) or LOCKS_CONFIG (a file)`,
  );
}

/**
 * Reads a configuration file: JSON, with environment variables filled in. The path is relative to
 * the working directory.
 * @throws `LOCK_MISCONFIGURED` with the file.
 */
async function readConfigFile(path: unknown): Promise<ConfigSource> {
  if (typeof path !== 'string' || path === '') {
    throw misconfigured('openLocks', `option "config" must be the path of a file, not ${describeGiven(path)}`);
  }
  if (path.includes('://')) {
    throw misconfigured('openLocks', 'the configuration file needs a path; put a URL in LOCKS_URL or option "url"');
  }
  const where = resolve(process.cwd(), path);
  const read = parse(await readText(where, path), where);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    // Its value is not shown: a text may be a URL with a password.
    throw misconfigured(where, 'it must contain an object, such as { "url": "redis://host:6379" }');
  }
  return { where, config: fillPlaceholders(read, where) as LocksConfig };
}

/** `given`: the path as passed. */
async function readText(path: string, given: string): Promise<string> {
  // An import of it reads all its exports, which takes some ms.
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  try {
    // Some editors begin a file with a byte order mark.
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`;
    if (mayBeUrl(given)) throw misconfigured('openLocks', `the configuration file ${shownPath(given)} ${why}`);
    throw misconfigured('openLocks', `the configuration file ${path} ${why}`, { cause: error });
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The rest of the message is not shown: it quotes text that may be a password.
    const at = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec((error as Error).message)?.[1];
    const line = at === undefined ? '' : ` at line ${text.slice(0, Number(at)).split('\n').length}`;
    throw misconfigured(where, `not JSON${line}`);
  }
}

const placeholder = /\$(\$?)\{([^}]*)\}?/g;

/**
 * `value` with `${NAME}` in its texts replaced by the environment variable of that name. `$${`
 * escapes `${`. Throws `LOCK_MISCONFIGURED` with `where`, the option and the name of an unset
 * variable.
 */
function fillPlaceholders(value: unknown, where: string, path: readonly string[] = []): unknown {
  if (typeof value === 'string') return fillText(value, where, path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each, index) => fillPlaceholders(each, where, [...path, `${index}`]));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, fillPlaceholders(each, where, [...path, name])]),
  );
}

function fillText(text: string, where: string, path: readonly string[]): string {
  return text.replaceAll(placeholder, (whole, escape: string, name: string) => {
    if (escape === '$') return whole.slice(1);
    const option = `option "${path.join('.')}"`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || !whole.endsWith('}')) {
      throw misconfigured(
        where,
        `${option} has a placeholder that cannot be parsed; write \${NAME}, or $\${ for the characters`,
      );
    }
    const filled = process.env[name];
    if (filled !== undefined) return filled;
    throw misconfigured(where, `${option} needs the environment variable ${name}, which is not set`);
  });
}
