import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerHandle } from '@locks/test-servers';
import type { FaultOf, Running } from './listed.ts';

const run = promisify(execFile);

/** Servers, each a process. */
export interface Processes extends Running {
  readonly handles: readonly ServerHandle[];
}

/** Several servers that stop together. */
export function together(handles: readonly ServerHandle[]): Processes {
  const log = async (): Promise<string> => (await Promise.all(handles.map((handle) => handle.log()))).join('\n');
  return { handles, log, stop: () => Promise.all(handles.map((handle) => handle.stop())) };
}

/** The server of a number. */
export function nth({ handles }: Processes, server: number): ServerHandle {
  const handle = handles[server];
  if (handle === undefined) throw new Error(`There is no server ${server}.`);
  return handle;
}

/** Frozen: connections stay open, and nothing is answered. */
export const pause: FaultOf<Processes> = {
  async begin(servers, server) {
    await nth(servers, server).pause();
    return () => nth(servers, server).resume();
  },
};

/** Killed, and started with its data on disk. */
export const kill: FaultOf<Processes> = {
  lasts: [0, 0.5],
  async begin(servers, server) {
    await nth(servers, server).kill();
    return () => nth(servers, server).restart();
  },
};

/** Killed, and started with nothing. */
export const empty: FaultOf<Processes> = {
  lasts: [0, 0.5],
  weight: 0.5,
  empties: true,
  async begin(servers, server) {
    await nth(servers, server).kill();
    return () => nth(servers, server).restart({ keepData: false });
  },
};

/** A member that comes back with nothing, and copies the data of the others. */
export const replaced: FaultOf<Processes> = { ...empty, weight: 1, empties: false };

/** Its data folder is copied, and that copy replaces the data later. */
export const old: FaultOf<Processes> = {
  weight: 0.5,
  empties: true,
  async begin(servers, server) {
    const copy = await mkdtemp(join(tmpdir(), 'locks-nemesis-'));
    const handle = nth(servers, server);
    await handle.restart({ meanwhile: (data) => copyTo(data, copy) });
    return async () => {
      try {
        await handle.restart({
          async meanwhile(data) {
            await emptied(data);
            await copyTo(copy, data);
          },
        });
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    };
  },
};

/** The faults of every server that is a separate process. */
const ofProcesses = {
  'server-pause': pause,
  'server-restart': kill,
  'server-empty': empty,
  'server-old': old,
} as const;

/** The same for a store with one server. */
export const ofOne = { ...ofProcesses, 'server-pause': { ...pause, silences: true } } as const;

/** Copies the content of a folder, with owners and rights, which Node's own copy omits. */
export async function copyTo(from: string, to: string): Promise<void> {
  await run('/bin/cp', ['-pR', `${from}/.`, to]);
}

/** Removes all that is in a folder. */
export async function emptied(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

/** Runs `work` with a folder that is removed afterwards. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-nemesis-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
