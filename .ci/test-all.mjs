// Usage: npm run test:all [-- options]
//
//   --ci             installs and builds first, and ends with the checks of the repository
//   --weekly         adds what repeats on more servers, clients and settings what the rest shows
//   --only a,b       only these stages
//   --without a,b    without these
//
// Runs all tests, stage by stage. Exit code 1: something failed. The last line is "<n> passed, <m>
// failed"; a stage that failed without a failed test counts as one.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const newestNode = 26;
const { values: options } = parseArgs({
  options: {
    ci: { type: 'boolean', default: false },
    weekly: { type: 'boolean', default: false },
    only: { type: 'string' },
    without: { type: 'string' },
  },
});
const missing = missingPeers();

/** What each run of vitest tells, for the failures at the end and the last line. */
const reports = fileURLToPath(new URL('../.cache/vitest', import.meta.url));
const reporters = ['--reporter=default', `--reporter=${fileURLToPath(new URL('report.mjs', import.meta.url))}`];
const vitest = (...args) => ['npx', 'vitest', 'run', ...args, ...reporters];

/**
 * In order. `beside`: it mostly waits, so later stages need not wait for it. `until`: the stage
 * that waits for it. `first`: without it the others are meaningless. `env`: further environment
 * variables.
 */
const stages = [
  {
    name: 'install',
    ci: true,
    first: true,
    command: ['npm', 'ci'],
    when: !existsSync('node_modules') || process.env.CI === 'true',
  },
  { name: 'build', first: true, command: ['npm', 'run', 'build'] },
  { name: 'test', command: vitest('--project', 'test:*') },
  {
    name: 'interop',
    beside: true,
    command: ['npm', 'run', 'interop', '--workspace', '@locks/zookeeper', '--', ...reporters],
    when: missing.length === 0,
  },
  { name: 'long', command: vitest('--project', 'long:*'), env: { weekly: { LOCKS_TEST_WHOLE: '1' } } },
  {
    name: 'nemesis',
    command: ['npm', 'run', 'nemesis', '--', '--store', 'all', '--seconds', '5', '--seed', '1', '--shrink', '60'],
  },
  { name: 'matrix', weekly: true, command: vitest('--project', 'matrix:*') },
  { name: 'native', weekly: true, command: vitest('--project', 'native:sql') },
  {
    name: 'differential',
    weekly: true,
    command: vitest('--project', 'test:*', 'differential'),
    env: { always: { LOCKS_DIFFERENTIAL: '10000' } },
  },
  {
    name: 'simulation',
    weekly: true,
    command: vitest('--project', 'test:*', 'schedules'),
    env: { always: { LOCKS_SCHEDULES: '100000' } },
  },
  {
    name: 'pairs',
    weekly: true,
    command: vitest('--project', 'long:docs-tests', 'pairs'),
    env: { always: { LOCKS_PAIRS: 'all' } },
  },
  {
    name: 'load',
    weekly: true,
    command: vitest('--project', 'long:docs-tests', 'load.long'),
    env: { always: { LOCKS_LOAD: 'whole' } },
  },
  { name: 'mutants', weekly: true, command: ['npm', 'run', 'mutants', '--workspace=@locks/conformance'] },
  { name: 'attack', weekly: true, command: ['npm', 'run', 'nemesis', '--', '--weekly', '--seconds', '7200'] },
  { name: 'site', ci: true, beside: true, command: ['npm', 'run', 'site:check'] },
  { name: 'check', ci: true, command: ['npm', 'run', 'check'] },
  // Where the version of Node matters most, within two minutes.
  {
    name: 'newest',
    command: [
      'npx',
      '--yes',
      `--package=node-${process.platform}-${process.arch}@${newestNode}`,
      '--',
      'node',
      'node_modules/vitest/vitest.mjs',
      'run',
      ...['newest:sql', 'test:core', 'test:conformance', 'test:docs-tests'].flatMap((name) => ['--project', name]),
      ...reporters,
    ],
    when: process.platform === 'linux' && Number(process.versions.node.split('.')[0]) < newestNode,
  },
];

const list = (text) => text?.split(',') ?? [];
const known = new Set(stages.map(({ name }) => name));
const wrong = [...list(options.only), ...list(options.without)].find((name) => !known.has(name));
if (wrong !== undefined) throw new Error(`There is no stage "${wrong}". Stages: ${[...known].join(', ')}`);
const chosen = stages.filter(
  ({ name, ci = false, weekly = false, when = true }) =>
    when &&
    (options.only === undefined
      ? (options.ci || !ci) && (options.weekly || !weekly)
      : list(options.only).includes(name)) &&
    !list(options.without).includes(name),
);

rmSync(reports, { recursive: true, force: true });
process.stdout.write(`node ${process.version}\n`);

const begun = performance.now();
const failed = [];
const summary = [];
const beside = [];
for (const stage of chosen) {
  if (stage.beside) beside.push(run(stage));
  else if (!(await run(stage)) && stage.first) break;
}
await Promise.all(beside);
if (missing.length > 0) summary.push(`interop  not run, for there is no ${missing.join(', no ')}`);
process.stdout.write(`\n=== ${seconds(begun)} s\n${summary.join('\n')}\n`);
count();
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs a stage, and records its result and duration. Resolves to whether it passed. */
async function run({ name, command, env = {}, beside: hidden = false }) {
  const start = performance.now();
  const title = `\n=== ${name}: ${command.join(' ')}\n`;
  if (!hidden) process.stdout.write(title);
  const child = spawn(command[0], command.slice(1), {
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      LOCKS_TEST_REPORTS: join(reports, name),
      ...env.always,
      ...(options.weekly ? env.weekly : {}),
    },
    stdio: ['ignore', hidden ? 'pipe' : 'inherit', hidden ? 'pipe' : 'inherit'],
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => printed.push(piece));
  const passed = await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
  if (hidden) process.stdout.write(title + Buffer.concat(printed).toString());
  if (!passed) failed.push(name);
  summary.push(`${name.padEnd(12)} ${(passed ? 'ok' : 'FAILED').padEnd(6)} ${String(seconds(start)).padStart(5)} s`);
  return passed;
}

function seconds(since) {
  return Math.round((performance.now() - since) / 1_000);
}

/** What locks of other libraries need that is neither installed nor installable by their tests. */
function missingPeers() {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && !existsSync('/run/systemd/system')) return [];
  const inPath = (program) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(`${folder}/${program}`));
  return [
    inPath('javac') ? [] : ['javac (Debian: default-jdk-headless)'],
    existsSync('/usr/share/java/curator-recipes.jar') ? [] : ['Curator (Debian: libcurator-recipes-java)'],
    existsSync('/usr/lib/python3/dist-packages/kazoo') ? [] : ['kazoo (Debian: python3-kazoo)'],
  ].flat();
}

/** Prints each failure, and the last line. */
function count() {
  let passed = 0;
  const failures = [];
  for (const stage of new Set([...(existsSync(reports) ? readdirSync(reports) : []), ...failed])) {
    const folder = join(reports, stage);
    const told = (existsSync(folder) ? readdirSync(folder) : []).map((file) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')),
    );
    passed += told.reduce((sum, each) => sum + each.passed, 0);
    const found = told.flatMap((each) => each.failures);
    failures.push(...found);
    if (found.length === 0 && failed.includes(stage)) failures.push({ name: stage, message: 'Its output says why.' });
  }
  for (const { name, message } of failures) print(name, message);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
}

/** The end of a server's output says why it failed. */
function print(name, message) {
  const lines = message.split('\n').map((line) => line.slice(0, 300));
  const shown = lines.length > 24 ? [...lines.slice(0, 8), '[…]', ...lines.slice(-15)] : lines;
  process.stdout.write(`\nFAILED ${name}\n${shown.join('\n')}\n`);
}
