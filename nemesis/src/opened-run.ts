import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '@locks/conformance/processes';
import type { ServerHandle } from '@locks/test-servers';
import { now } from './clock.ts';
import { type Modules, installPacked } from './install.ts';
import type { ControlEvent } from './log/events.ts';
import { openLog } from './log/writer.ts';
import type { Listen } from './register/listen.ts';
import { watchStalls } from './stalls.ts';

/** What each run has, whatever it puts under stress. */
export interface OpenedRun {
  /** The folder of its logs. */
  readonly logs: string;
  /** The socket of the register. */
  readonly register: string;
  append(event: ControlEvent): void;
  /** Keeps what `servers` printed. */
  keepLogs(servers: readonly ServerHandle[]): Promise<void>;
  /** Ends the register. */
  close(): Promise<void>;
}

/** Makes the application in `folder`, and starts the register and the logs. */
export async function openRun(folder: string, modules: Modules): Promise<OpenedRun> {
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const append = openLog<ControlEvent>(join(logs, 'control.log'));
  installPacked(folder, modules);
  const socket = join(folder, 'register.sock');
  const register = startChild<Listen>(join(folder, 'programs/register/register-process.js'), { name: 'the register' });
  let isOver = false;
  void register.gone.then((end) => {
    if (!isOver) append({ type: 'wrong', at: now(), message: `the register died (${end})` });
  });
  const stopWatching = watchStalls(append);
  const close = async (): Promise<void> => {
    stopWatching();
    isOver = true;
    await register.kill();
  };
  try {
    await register.ask({ socket, log: join(logs, 'register.log') });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    logs,
    register: socket,
    append,
    async keepLogs(servers) {
      for (const [index, server] of servers.entries()) {
        writeFileSync(join(logs, `server-${index}.txt`), await server.log());
      }
    },
    close,
  };
}
