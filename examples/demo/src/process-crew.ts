import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { backendOf, configOf, sqliteUrl } from './backend.ts';
import { now } from './clock.ts';
import { ttl } from './crew.ts';
import type { Crew, Plan } from './crew.ts';
import type { RunEvent, WorkEvent } from './events.ts';
import { createFileAccount } from './file-account.ts';
import { startWorker } from './worker-handle.ts';
import type { WorkerHandle } from './worker-handle.ts';

/** Workers that are processes of their own. The balance is a file, and without a URL so are the locks. */
export async function openProcesses(url: string | undefined, signal: AbortSignal): Promise<Crew> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-demo-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const backend = backendOf(url ?? sqliteUrl(join(folder, 'locks.db')));
  try {
    // Asks the backend before anything is started, so that a wrong address is one message, not one of each worker.
    await (await openLocks(configOf(backend), { ttl })).close();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    workerKind: 'a process of its own',
    lockPlace: url === undefined ? `${backend.name} of this demo: no server` : backend.name,
    lockEnd: backend.end,
    mortal: true,
    async run(plan, observe) {
      const file = join(folder, plan.locked ? 'with-a-lock.json' : 'without-a-lock.json');
      const account = createFileAccount(file);
      await runWorkers(plan, file, backend.url, observe, signal);
      return account;
    },
    close,
  };
}

async function runWorkers(
  { locked, workers, updates, victim }: Plan,
  file: string,
  url: string,
  observe: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const lock = locked ? { url, key: `demo/balance/${randomUUID()}` } : undefined;
  const handles: WorkerHandle[] = [];
  const stop = (): void => {
    for (const handle of handles) handle.kill();
  };
  signal.addEventListener('abort', stop);
  try {
    for (let worker = 1; worker <= workers; worker += 1) {
      const stopsAfter = worker === victim?.worker ? victim.after : undefined;
      handles.push(startWorker({ worker, updates, file, lock, stopsAfter }, (event) => observe(onEvent(event))));
    }
    await Promise.all(handles.map((handle) => handle.ready));
    for (const handle of handles) handle.begin();
    await Promise.all(handles.map((handle) => handle.finished));
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await Promise.all(handles.map((handle) => handle.gone));
  }

  function onEvent(event: WorkEvent): RunEvent {
    if (event.kind !== 'holding') return event;
    // Before the kill: what comes free later than this came free because of it.
    const until = now();
    handles[event.turn.worker - 1]?.kill();
    return { kind: 'killed', turn: { ...event.turn, until } };
  }
}
