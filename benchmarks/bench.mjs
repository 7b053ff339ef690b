// Usage: npm run bench -- redis | sql | zookeeper | memory | core [options]
// Installs the peers if they are lacking, builds the packages and the benchmarks, and runs them.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(`${root}/node_modules/typescript`)) fail('The packages are not installed. Run: npm ci');
// Not as strict as the root: one peer wants a newer Node, and is left out on an older one.
if (!installed()) run('npm', ['ci', '--engine-strict=false', '--no-audit', '--no-fund'], here);
run('npm', ['run', 'build', '--', '--output-logs=errors-only'], root);
run(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', here], root);
run(process.execPath, [`${here}/dist/main.js`, ...process.argv.slice(2)], process.env.INIT_CWD ?? root);

/** Whether what is installed is what the lock file says. */
function installed() {
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
