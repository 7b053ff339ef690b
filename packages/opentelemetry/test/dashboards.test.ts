import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks, createMemoryProvider } from '@locks/core';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { instrumentLocks } from '../src/index.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

function read(name: string): string {
  return readFileSync(new URL(`../dashboards/${name}`, import.meta.url), 'utf8');
}

const { groups } = parse(read('locks.alerts.yml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('locks.grafana.json')) as { readonly panels: readonly Panel[] };
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** What Prometheus scrapes of locks to which everything happened. */
async function scrape(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meters = new MeterProvider({ readers: [exporter] });
  const locks = createLocks(createMemoryProvider(), { slowWait: 10, closeProvider: true });
  const queueLength = { locks, keys: ['report'] };
  const telemetry = instrumentLocks({ meter: meters.getMeter('test'), spans: false, queueLength });
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const lease = await locks.acquire('report', { maxHold: 300 });
    await lease.renew();
    await expect(locks.acquire('report', { wait: 100 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    while (lease.held) await sleep(10);
    const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    for (const _ of [1, 2]) await locks.once('report', slot, { next: '1h' }, () => {});
    const { port } = server.address() as AddressInfo;
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  } finally {
    telemetry.end();
    await meters.shutdown();
    server.close();
    await locks.close();
  }
}

let text: string;
/** The names of samples, and of labels. */
let samples: ReadonlySet<string>;
let labels: ReadonlySet<string>;

/** The same name by an exporter that appends the unit. */
function withUnit(sample: string): string {
  const [, name = sample, end = ''] = /^(.*?)(_(?:bucket|count|sum))?$/.exec(sample) ?? [];
  return text.includes(`# UNIT ${name} s\n`) ? `${name}_seconds${end}` : sample;
}

describe('the dashboard and the alerts', () => {
  beforeAll(async () => {
    text = await scrape();
    const lines = text.split('\n').filter((line) => line.startsWith('locks_'));
    samples = new Set(lines.map((line) => /^\w+/.exec(line)?.[0] ?? ''));
    labels = new Set(lines.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
  });

  it.each(expressions)('%s: uses what is exported, with and without units in the names', (_, expr) => {
    const patterns = [...expr.matchAll(/__name__=~"([^"]+)"/g)].map(([, pattern = '']) => new RegExp(`^${pattern}$`));
    for (const pattern of patterns) {
      const matched = [...samples].filter((sample) => pattern.test(sample));
      expect(matched, String(pattern)).toHaveLength(1);
      for (const sample of matched) expect(withUnit(sample)).toMatch(pattern);
    }
    const words = expr.replaceAll(/"[^"]*"/g, '').match(/\b(?:locks|error)_\w+/g) ?? [];
    for (const word of words) {
      expect(samples.has(word) || labels.has(word), word).toBe(true);
      // Without a pattern its name must be the same with a unit.
      if (samples.has(word)) expect(withUnit(word)).toBe(word);
    }
    expect(words.length).toBeGreaterThan(0);
  });

  it('show every metric', () => {
    const all = expressions.map(([, expr]) => expr.replaceAll('(_seconds)?', '')).join('\n');
    const families = new Set([...text.matchAll(/^# TYPE (locks_\w+)/gm)].map(([, name = '']) => name));
    expect(families.size).toBe(16);
    for (const name of families) expect(all).toContain(name);
  });

  it('say what to do', () => {
    for (const { alert, labels: own, annotations } of rules) {
      expect(['critical', 'warning', 'info'], alert).toContain(own.severity);
      expect(annotations.summary.length, alert).toBeGreaterThan(20);
      expect(annotations.description.length, alert).toBeGreaterThan(100);
    }
  });

  it('have panels with a description, of which none covers another', () => {
    const taken = new Set<string>();
    for (const { title, description, targets, gridPos } of panels) {
      if (targets !== undefined) expect(description, title).toMatch(/\.$/);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  });
});
