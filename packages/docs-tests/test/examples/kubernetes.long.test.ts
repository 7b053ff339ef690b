import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readManifest, root } from '../support/repository.ts';
import { start } from '../support/running.ts';
import type { Running } from '../support/running.ts';

const folder = join(root, 'examples/kubernetes');
const locksProgram = join(root, 'packages/cli', readManifest('packages/cli').bin?.['locks'] ?? '');

interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly [field: string]: unknown;
}

interface PodSpec {
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
}

interface Template {
  readonly metadata?: { readonly labels: unknown };
  readonly spec: PodSpec;
}

interface JobSpec {
  readonly backoffLimit: number;
  readonly activeDeadlineSeconds: number;
  readonly podFailurePolicy: {
    readonly rules: readonly {
      readonly action: string;
      readonly onExitCodes?: { readonly values: readonly number[] };
    }[];
  };
  readonly template: Template;
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

const cronJob = parse(read('cronjob.yaml')) as {
  readonly kind: string;
  readonly spec: { readonly schedule: string; readonly jobTemplate: { readonly spec: JobSpec } };
};
const deployment = parse(read('deployment.yaml')) as {
  readonly kind: string;
  readonly spec: { readonly selector: { readonly matchLabels: unknown }; readonly template: Template };
};
const job = cronJob.spec.jobTemplate.spec;
const [reportContainer] = job.template.spec.containers;
const [mailsContainer] = deployment.spec.template.spec.containers;

let url: string;
let locks: Locks;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  const server = await startRedis();
  ({ url } = server);
  stop = async () => await server.stop();
  locks = await openLocks(url);
});

afterAll(async () => {
  await locks.close();
  await stop();
});

/** Starts what the container starts, with the variables that Kubernetes gives it. */
function run({ command, args = [], env }: Container, given: Readonly<Record<string, string>>): Running {
  const fixed = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  const all: Readonly<Record<string, string>> = { ...fixed, ...given };
  expect(Object.keys(all).toSorted()).toEqual(env.map(({ name }) => name).toSorted());
  // As the kubelet replaces them.
  const replaced = args.map((word) => word.replaceAll(/\$\((\w+)\)/g, (whole, name: string) => all[name] ?? whole));
  const [entry, ...words] = command === undefined ? [locksProgram, ...replaced] : command.slice(1);
  return start([entry ?? '', ...words], { cwd: folder, env: all });
}

describe('the CronJob', () => {
  const minutes = Math.floor(Date.now() / 60_000);
  const given = () => ({ JOB_NAME: `report-${minutes}`, LOCKS_URL: url });

  test('has the slot of its Job, and a second pod of the same Job does not run', { timeout: 120_000 }, async () => {
    const first = run(reportContainer, given());
    expect(await first.end(), first.lines.join('\n')).toBe(0);
    expect(first.lines).toContainEqual(expect.stringMatching(/^writes the report, with token \d+$/));
    const slot = new Date(minutes * 60_000);
    const next = new Date(slot.getTime() + 86_400_000);
    expect(await locks.job('report')).toMatchObject({ state: 'done', slot, next });
    const second = run(reportContainer, given());
    expect(await second.end()).toBe(0);
    expect(second.lines).toEqual([expect.stringContaining('done by')]);
  });

  test('runs again in a further pod after a failure, as often as there are pods', { timeout: 120_000 }, async () => {
    const args = reportContainer.args ?? [];
    const failing = { ...reportContainer, args: [...args.slice(0, args.indexOf('--')), '--', 'sh', '-c', 'exit 3'] };
    const later = { JOB_NAME: `report-${minutes - 1}`, LOCKS_URL: url };
    await locks.forgetJob('report');
    const codes: (number | null)[] = [];
    for (let pod = 0; pod < job.backoffLimit; pod += 1) codes.push(await run(failing, later).end());
    expect(codes).toEqual([3, 3, 3, 3]);
    expect(await locks.job('report')).toMatchObject({ state: 'failed', tries: 4, failures: 4, exitCode: 3 });
    expect(await run(reportContainer, later).end()).toBe(3);
  });

  test('stops at codes that do not heal, and at no other', { timeout: 60_000 }, async () => {
    const rule = job.podFailurePolicy.rules.find(({ action }) => action === 'FailJob');
    const wrong = [
      { JOB_NAME: 'by-hand', LOCKS_URL: url },
      { JOB_NAME: `report-${minutes}`, LOCKS_URL: 'redi://host' },
    ];
    const codes: (number | null)[] = [];
    for (const each of wrong) codes.push(await run(reportContainer, each).end());
    expect(codes).toEqual(rule?.onExitCodes?.values);
    expect(job.template.spec.restartPolicy).toBe('Never');
  });

  test('has deadlines that fit together', () => {
    const args = reportContainer.args ?? [];
    const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? '';
    expect(job.backoffLimit).toBeGreaterThan(Number(after('--retry')));
    expect(job.activeDeadlineSeconds).toBeGreaterThan(60 * Number.parseInt(after('--wait'), 10));
    expect(job.activeDeadlineSeconds).toBeLessThan(86_400);
  });
});

describe('the Deployment', () => {
  test('answers its probes, and ends by TERM', { timeout: 60_000 }, async () => {
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => {
      const { httpGet } = mailsContainer[name] as {
        readonly httpGet: { readonly path: string; readonly port: number };
      };
      return httpGet;
    });
    expect(probes.map(({ port }) => String(port))).toEqual(probes.map(() => portOf(mailsContainer)));
    // Another port, as that one may be in use here.
    const env = mailsContainer.env.map((each) => (each.name === 'PORT' ? { name: 'PORT', value: '0' } : each));
    const service = run({ ...mailsContainer, env }, { LOCKS_URL: url });
    onTestFinished(async () => void (await service.end('SIGKILL')));
    const [, address] = await service.said(/^listens on (\S+)$/);
    for (const { path } of probes) expect((await fetch(`${address}${path}`)).status, path).toBe(200);
    expect((await fetch(`${address}/other`)).status).toBe(503);
    expect(await service.end('SIGTERM')).toBe(0);
  });

  test('has time to end before KILL', () => {
    const { preStop } = mailsContainer['lifecycle'] as {
      readonly preStop: { readonly sleep: { readonly seconds: number } };
    };
    const [, drain] = /drain: '(\d+)s'/.exec(read('service.js')) ?? [];
    const closeTimeout = 5;
    const needed = preStop.sleep.seconds + Number(drain) + closeTimeout;
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed);
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata?.labels);
  });
});

function portOf({ env }: Container): string | undefined {
  return env.find(({ name }) => name === 'PORT')?.value;
}

describe('the image', () => {
  const lines = read('Containerfile').split('\n');
  const last = (word: string): string =>
    lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';

  test('has what it names, no root, and the command as its entry', () => {
    expect(last('USER')).toMatch(/^[1-9]\d*$/);
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node_modules/.bin/locks']);
    expect(Object.keys(readManifest('packages/cli').bin ?? {})).toContain('locks');
    const [, major] = /^node:(\d+)-slim$/.exec(last('FROM')) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(20);
    const copied = last('COPY').split(' ').slice(0, -1);
    for (const name of copied) expect(existsSync(join(folder, name)), name).toBe(true);
    for (const { command = [], args = [] } of [reportContainer, mailsContainer]) {
      expect(copied).toContain([...command, ...args].at(-1));
    }
  });
});

test.each(['cronjob.yaml', 'deployment.yaml'])('each choice of %s has its reason beside it', (name) => {
  const text = read(name);
  const choices = [
    ...['timeZone', 'concurrencyPolicy', 'startingDeadlineSeconds', 'backoffLimit', 'activeDeadlineSeconds'],
    ...['restartPolicy', 'terminationGracePeriodSeconds', 'preStop', 'replicas', 'command', 'args'],
    ...['startupProbe', 'readinessProbe', 'livenessProbe'],
  ];
  const made = choices.filter((choice) => new RegExp(`^ *${choice}:`, 'm').test(text));
  expect(made.length).toBeGreaterThan(6);
  for (const choice of made) expect(text, choice).toMatch(new RegExp(`^ *# .+\\n *${choice}:`, 'm'));
  const explained = (text.match(/# --[a-z]+:/g) ?? []).map((flag) => flag.slice(2, -1));
  const flags = (reportContainer.args ?? []).filter((word) => /^--[a-z]/.test(word));
  if (name === 'cronjob.yaml') expect(explained).toEqual(flags);
});
