// Usage: npm run stress -- redis | postgres | mariadb | sqlite | zookeeper | ensemble | all | self-test [options]
// Builds the packages and the stress, and runs it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(`${root}/node_modules/typescript`)) fail('The packages are not installed. Run: npm ci');
run('npm', ['run', 'build', '--', '--output-logs=errors-only'], root);
run(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', here], root);
run(process.execPath, [`${here}/dist/main.js`, ...process.argv.slice(2)], process.env.INIT_CWD ?? root);

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error !== undefined) fail(`${command} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
