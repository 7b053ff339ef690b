import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the packages and the program in `folder`, and runs it with the options of this process.
 * With `installs` it has a lock file of its own, and is installed first if that is newer.
 */
export function buildAndRun(folder, { installs = false } = {}) {
  const here = fileURLToPath(folder);
  if (!existsSync(`${root}/node_modules/typescript`)) fail('The packages are not installed. Run: npm ci');
  // Not as strict as the root: a client may want a newer Node, and is left out on an older one.
  if (installs && !isInstalled(here)) run('npm', ['ci', '--engine-strict=false', '--no-audit', '--no-fund'], here);
  run('npm', ['run', 'build', '--', '--output-logs=errors-only'], root);
  run(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', here], root);
  run(process.execPath, [`${here}/dist/main.js`, ...process.argv.slice(2)], process.env.INIT_CWD ?? root);
}

/** Whether what is installed is what the lock file says. */
function isInstalled(here) {
  const marker = `${here}/node_modules/.package-lock.json`;
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync(`${here}/package-lock.json`).mtimeMs;
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error !== undefined) fail(`${command} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
