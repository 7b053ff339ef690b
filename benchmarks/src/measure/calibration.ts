import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './statistics.ts';

/** The state of the machine just before a table was measured. */
export interface Calibration {
  /** The idle share of its processors' time, from 0 to 1. */
  readonly idle: number;
  /** Of one byte over loopback and back, in ms: median. */
  readonly roundTrip: number;
}

/** With less idle time, other work affects the measurement. */
const calm = 0.9;
const lookFor = 400;
const roundTrips = 300;
const waitForCalm = 60_000;

/** Observes the machine, for about half a second. */
export async function calibrate(): Promise<Calibration> {
  const before = processorTime();
  await sleep(lookFor);
  const after = processorTime();
  const idle = (after.idle - before.idle) / Math.max(1, after.all - before.all);
  return { idle: Math.min(1, idle), roundTrip: await measureRoundTrip() };
}

/** Observes until the machine is calm. Rejects after `limit` ms. */
export async function calibrateCalm(
  look: () => Promise<Calibration> = calibrate,
  limit: number = waitForCalm,
): Promise<Calibration> {
  for (const until = performance.now() + limit; ;) {
    const calibration = await look();
    if (!isBusy(calibration)) return calibration;
    if (performance.now() < until) continue;
    throw new Error(
      `Option --calm: the machine was busy for ${limit / 1_000} s (${percent(calibration.idle)} idle). Stop what else runs on it, or leave out --calm.`,
    );
  }
}

export function isBusy({ idle }: Calibration): boolean {
  return idle < calm;
}

/** As a line of text, for the top of a table. */
export function describeCalibration(calibration: Calibration): string {
  const { idle, roundTrip } = calibration;
  const line = `${percent(idle)} idle before it, a loopback round trip ${roundTrip.toFixed(3)} ms`;
  return isBusy(calibration) ? `BUSY machine: ${line}. Trust counts alone.` : `Machine: ${line}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function processorTime(): { readonly idle: number; readonly all: number } {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, all };
}

async function measureRoundTrip(): Promise<number> {
  const server = createServer((socket) => void socket.setNoDelay(true).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  try {
    await once(socket, 'connect');
    const times: number[] = [];
    for (let trip = 0; trip < roundTrips; trip += 1) {
      const start = performance.now();
      socket.write('.');
      await once(socket, 'data');
      times.push(performance.now() - start);
    }
    return median(times) ?? Number.NaN;
  } finally {
    socket.destroy();
    server.close();
  }
}
