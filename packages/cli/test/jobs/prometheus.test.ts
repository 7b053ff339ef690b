import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ensureProgram } from '@locks/test-servers';
import type { JobRun } from '@locks/core';
import { expect, test } from 'vitest';
import { prometheusText } from '../../src/jobs/prometheus.ts';

const slot = new Date('2026-11-29T03:00:00Z');
const unix = slot.getTime() / 1_000;

function run(job: Partial<JobRun> = {}): JobRun {
  const ended = new Date(slot.getTime() + 41_500);
  const times = { slot, began: slot, ended, lastDone: slot, next: new Date(slot.getTime() + 3_600_000) };
  return { key: 'report', state: 'done', by: 'host:7', tries: 1, failures: 0, overdue: false, ...times, ...job };
}

test('the last run of a job, as Prometheus reads it', () => {
  expect(prometheusText([run()])).toBe(`\
# HELP locks_job_last_success_timestamp_seconds The slot of the last success, in Unix time.
# TYPE locks_job_last_success_timestamp_seconds gauge
locks_job_last_success_timestamp_seconds{locks_key="report"} ${unix}
# HELP locks_job_next_timestamp_seconds When the job is next due, in Unix time.
# TYPE locks_job_next_timestamp_seconds gauge
locks_job_next_timestamp_seconds{locks_key="report"} ${unix + 3_600}
# HELP locks_job_failures How many runs in a row did not succeed.
# TYPE locks_job_failures gauge
locks_job_failures{locks_key="report"} 0
# HELP locks_job_state 1 for the state of the last run, 0 for the others.
# TYPE locks_job_state gauge
locks_job_state{locks_key="report",state="running"} 0
locks_job_state{locks_key="report",state="done"} 1
locks_job_state{locks_key="report",state="failed"} 0
locks_job_state{locks_key="report",state="crashed"} 0
locks_job_state{locks_key="report",state="stopped"} 0
locks_job_state{locks_key="report",state="lost"} 0
locks_job_state{locks_key="report",state="open"} 0
# HELP locks_job_last_duration_seconds How long the last run took, if it has ended.
# TYPE locks_job_last_duration_seconds gauge
locks_job_last_duration_seconds{locks_key="report"} 41.5
`);
});

test('what a job does not have is left out', () => {
  const { ended: _ended, lastDone: _lastDone, next: _next, ...bare } = run({ state: 'crashed', failures: 2 });
  expect(prometheusText([bare])).not.toMatch(/last_success|next|duration/);
  expect(prometheusText([{ ...bare, lastDone: 'ever' }])).not.toContain('last_success');
  expect(prometheusText([])).toBe('');
});

test(
  'Prometheus reads names of jobs with any characters, and two with the same beginning',
  { timeout: 300_000 },
  async () => {
    const keys = ['a"b\\c\nd', '{}', 'ü 🙂', '\ud800', '\ufffd', '# TYPE', 'cut', 'cut'];
    const text = prometheusText(keys.map((key) => run({ key })));
    expect(text.match(/^locks_job_failures\{/gm)).toHaveLength(keys.length);
    expect(text).toContain('locks_job_failures{locks_key="a\\"b\\\\c\\nd"} 0\n');
    expect(text).toContain('locks_job_failures{locks_key="cut#2"} 0\n');
    const program = { binary: 'promtool', debianPackage: 'prometheus', macos: 'brew install prometheus' };
    const path = await ensureProgram(program, 'prometheus');
    execFileSync(path, ['check', 'metrics'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] });
  },
);

test('the alerts and the dashboard of jobs know these names', () => {
  const text = prometheusText([run()]);
  const dashboards = new URL('../../../opentelemetry/dashboards/', import.meta.url);
  const used = ['locks.alerts.yml', 'locks.grafana.json'].flatMap((name) => [
    ...readFileSync(new URL(name, dashboards), 'utf8').matchAll(
      /\b(locks_job_(?:last_success_|next_)\w+|locks_job_failures)\b(\(_seconds\))?/g,
    ),
  ]);
  const names = new Set(used.map(([, name = '', unit]) => (unit === undefined ? name : `${name}_seconds`)));
  expect(names.size).toBe(3);
  for (const name of names) expect(text).toContain(`\n${name}{locks_key="report"} `);
});
