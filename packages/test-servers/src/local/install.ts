import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Program } from '../server/definition.ts';
import { messageOf, tailOf } from '../server/ready.ts';

const run = promisify(execFile);

/**
 * The path of a program; installs it first if that is harmless, else rejects with what to install.
 */
export async function ensureProgram(
  program: Program,
  serverName: string,
  install: boolean = mayInstall(),
): Promise<string> {
  const found = await findWhole(program);
  if ('path' in found) return found.path;
  if (!install) throw new Error(`${found.missing}. ${waysOut(program, serverName)}`);
  try {
    await installDebianPackage(program);
  } catch (error) {
    const output = isExecError(error) ? `${error.stdout}${error.stderr}` : '';
    throw new Error(
      `installing ${program.debianPackage} failed: ${messageOf(error)}\n${tailOf(output)}\n${waysOut(program, serverName)}`,
      { cause: error },
    );
  }
  const installed = await findWhole(program);
  if ('path' in installed) return installed.path;
  throw new Error(`${program.debianPackage} is installed, but ${installed.missing}. ${waysOut(program, serverName)}`);
}

/** The path of a program with everything it needs, else the missing part. */
async function findWhole(program: Program): Promise<{ readonly path: string } | { readonly missing: string }> {
  const { binary, needs } = program;
  const path = await findProgram(program);
  if (path === undefined) return { missing: `${binary} was not found in PATH` };
  if (needs === undefined || needs.some((file) => existsSync(file))) return { path };
  return { missing: `${binary} was found, but none of ${needs.join(', ')}` };
}

/**
 * Only as root on Debian and its descendants, and not under systemd, where the package would start
 * a service on the default port. Without systemd `RUNLEVEL=1` prevents that.
 */
function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && !existsSync('/run/systemd/system');
}

/**
 * `flock` makes parallel test packages install one after the other; the kernel frees its lock if
 * its holder dies.
 */
async function installDebianPackage({ debianPackage }: Program): Promise<void> {
  const script = [
    `if dpkg-query -W -f '\${db:Status-Status}' ${debianPackage} | grep -qx installed; then exit 0; fi`,
    'apt-get update -q',
    `apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 ${debianPackage}`,
  ].join('\n');
  await run('flock', ['--close', '--timeout', '600', '/var/lib/dpkg', 'sh', '-ec', script], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The path of a program, or of another one that comes with it; `undefined` if there is none. */
export async function findProgram(
  { binary, versions }: Pick<Program, 'binary' | 'versions'>,
  besides: readonly string[] = [],
): Promise<string | undefined> {
  const folders = [
    ...besides,
    ...(process.env['PATH'] ?? '').split(delimiter),
    // Debian puts some servers into sbin folders, which are not in every user's PATH.
    '/usr/sbin',
    '/usr/local/sbin',
    ...(versions === undefined ? [] : await newestFirst(versions)),
  ];
  for (const folder of folders) {
    const path = join(folder, binary);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return undefined;
}

async function newestFirst({ folder, rest }: NonNullable<Program['versions']>): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const versions = names.filter((name) => /^\d+(\.\d+)*$/.test(name));
  return versions
    .toSorted((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
    .map((name) => join(folder, name, rest));
}

function waysOut({ debianPackage, macos }: Program, serverName: string): string {
  return (
    `Install it (Debian, Ubuntu: "sudo apt-get install ${debianPackage}"; macOS: "${macos}"), ` +
    `or set LOCKS_TEST_SERVERS=docker to use containers, or LOCKS_TEST_${serverName.toUpperCase()}_URL to use a server that runs already`
  );
}

function isExecError(error: unknown): error is { readonly stdout: string; readonly stderr: string } {
  return error instanceof Error && 'stdout' in error && 'stderr' in error;
}
