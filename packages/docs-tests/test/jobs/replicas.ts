import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnceOptions } from '@locks/core';
import { eventually } from '@locks/test-servers';
import type { Store } from '../support/stores.ts';

/** A job that each replica calls in each round. */
export interface ReplicaJob {
  readonly key: string;
  readonly options: OnceOptions;
  /** How long its work takes, in ms: at least, at most. */
  readonly lasts: readonly [number, number];
  /** How often it fails, of 1. */
  readonly fails: number;
  /** When calls come after the time of their round, in ms: at least, at most. */
  readonly jitter: readonly [number, number];
  /** Ms between a round and the full period. */
  readonly offset: number;
  /** The slots are of one length, and `at` is this. Absent: Dates. */
  readonly every?: number;
  /** Its work ends when its signal aborts. */
  readonly obeys: boolean;
}

/** What a replica wrote. */
export interface Line {
  /** In ms. */
  readonly at: number;
  readonly pid: number;
  readonly key: string;
  readonly what: string;
  readonly round: number;
  readonly more: readonly string[];
}

/** Four processes with the same jobs. */
export interface Replicas {
  readonly all: ChildProcess[];
  /** When the rounds began, and their length, in ms. */
  readonly base: number;
  readonly period: number;
  /** The slot of round 0, for Dates. */
  readonly slotBase: number;
  /** Processes that were killed. */
  readonly killed: Set<number>;
  lines(): readonly Line[];
  /** Starts one more. Resolves when it is ready. */
  start(): Promise<ChildProcess>;
  /** Kills it, and starts another one in its place. */
  kill(child: ChildProcess): Promise<void>;
  /** Has it close. */
  close(child: ChildProcess): Promise<void>;
  /** Sleeps until a round, by the clock of this process. */
  until(round: number): Promise<void>;
  end(): Promise<void>;
}

const script = fileURLToPath(new URL('../support/job-replica.mjs', import.meta.url));
const count = 4;

/** `environment`: of the process with this number. */
export async function startReplicas(
  store: Store,
  period: number,
  rounds: number,
  jobs: readonly ReplicaJob[],
  environment: (number: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), 'locks-jobs-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const killed = new Set<number>();
  const all: ChildProcess[] = [];
  const { url, options } = store;
  const told: { schedule?: { readonly base: number; readonly slotBase: number } } = {};
  let started = 0;
  const lines = (): readonly Line[] => readLines(log);

  async function start(): Promise<ChildProcess> {
    const given = JSON.stringify({ url, options, drain: 3_000, log, period, jobs });
    const env = { ...process.env, ...environment(started) };
    started += 1;
    const child = fork(script, [given], { execArgv: [], env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    all.push(child);
    const { pid } = child;
    await eventually('a replica', () => lines().some((line) => line.what === 'ready' && line.pid === pid), 60_000);
    if (told.schedule !== undefined) child.send(told.schedule);
    return child;
  }

  async function signalled(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    all.splice(all.indexOf(child), 1);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  // Creates the tables.
  await (await store.open()).close();
  await Promise.all(Array.from({ length: count }, () => start()));
  const base = Math.ceil((Date.now() + 200) / period) * period;
  // All slots are in the past.
  const schedule = { base, slotBase: (Math.floor(Date.now() / 1_000) - rounds - 60) * 1_000 };
  told.schedule = schedule;
  for (const child of all) child.send(schedule);
  return {
    all,
    period,
    killed,
    ...schedule,
    lines,
    start,
    async kill(child) {
      killed.add(child.pid ?? 0);
      await Promise.all([signalled(child, 'SIGKILL'), start()]);
    },
    close: (child) => signalled(child, 'SIGTERM'),
    until: (round) => sleep(Math.max(0, base + round * period - Date.now())),
    async end() {
      await Promise.all([...all].map((child) => signalled(child, 'SIGKILL')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readLines(log: string): readonly Line[] {
  const texts = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return texts.map((text) => {
    const [at, pid, key = '', what = '', round, ...more] = text.split('\t');
    return { at: Number(at), pid: Number(pid), key, what, round: Number(round), more };
  });
}

/** The process that is at work in the job `key`, and the round of its work. */
export function atWork({ all, lines }: Replicas, key: string): { child: ChildProcess; round: number } | undefined {
  const own = lines().filter((line) => line.key === key);
  const start = own.findLast(({ what }) => what === 'start');
  if (start === undefined) return undefined;
  const isOver = own.some(
    ({ pid, round, what }) => pid === start.pid && round === start.round && what !== 'start' && what !== 'call',
  );
  const child = all.find(({ pid }) => pid === start.pid);
  return isOver || child === undefined ? undefined : { child, round: start.round };
}
