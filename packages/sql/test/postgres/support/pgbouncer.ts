import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram, eventually, unusedPort } from '@locks/test-servers';
import { onTestFinished } from 'vitest';
import { withClient } from './database.ts';

const host = '127.0.0.1';

/**
 * A pooler in front of the database at `url` that lends a connection for each transaction; its URL.
 * It ends with the test.
 */
export async function startPgbouncer(url: string): Promise<string> {
  const program = await ensureProgram(
    { binary: 'pgbouncer', debianPackage: 'pgbouncer', macos: 'brew install pgbouncer' },
    'pgbouncer',
  );
  const folder = await mkdtemp(join(tmpdir(), 'locks-test-pgbouncer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const target = new URL(url);
  const port = await unusedPort();
  const settings = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port} user=${target.username} password='${decodeURIComponent(target.password).replaceAll("'", "''")}'`,
    '[pgbouncer]',
    `listen_addr = ${host}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  // It refuses to be root.
  const root = process.getuid?.() === 0;
  const user = { uid: root ? idOf('-u') : undefined, gid: root ? idOf('-g') : undefined };
  await chmod(folder, 0o755);
  // Its guard ends it when this process ends, in whatever way: then the guard's input is closed.
  const guard = '"$0" "$1" & child=$!; cat >/dev/null; kill -9 $child';
  const child = spawn('/bin/sh', ['-c', guard, program, file], {
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(root ? (user as { readonly uid: number; readonly gid: number }) : {}),
  });
  let output = '';
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
  const own = new URL(url);
  own.port = `${port}`;
  await eventually('pgbouncer', () =>
    withClient(own.href, async (client) => await client.query('SELECT 1')).then(
      () => true,
      () => false,
    ),
  ).catch((error: unknown) => {
    throw new Error(`pgbouncer does not answer: ${output}`, { cause: error });
  });
  return own.href;
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}
