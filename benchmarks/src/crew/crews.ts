import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Assignment, CrewReport, Message, Order } from './crew-messages.ts';

const program = fileURLToPath(new URL('./crew-process.js', import.meta.url));

/** Several processes that do the same at the same time. */
export interface Crews extends AsyncDisposable {
  order(kind: 'begin' | 'measure' | 'stop'): void;
  /** Resolves when every process has said so; rejects when one is broken or gone. */
  all(kind: 'ready' | 'inLine' | 'done'): Promise<void>;
  /** Acquisitions since `measure`, as far as they were told. */
  grants(): number;
  reports(): Promise<CrewReport[]>;
}

/** What a crew is started for. */
export type Plan = Omit<Assignment, 'process' | 'firstWorker'>;

/** Splits `workers` evenly over `processes`, and starts those. */
export async function startCrews(plan: Plan): Promise<Crews> {
  const members: Member[] = [];
  let firstWorker = 0;
  for (let index = 0; index < plan.processes; index += 1) {
    const workers = Math.floor((plan.workers * (index + 1)) / plan.processes) - firstWorker;
    members.push(startMember({ ...plan, process: index, firstWorker, workers }));
    firstWorker += workers;
  }
  const crews: Crews = {
    order(kind) {
      for (const member of members) member.send({ kind });
    },
    async all(kind) {
      await Promise.all(members.map((member) => member.heard(kind)));
    },
    grants: () => members.reduce((total, member) => total + member.grants(), 0),
    async reports() {
      const messages = await Promise.all(members.map((member) => member.heard('report')));
      return messages.flatMap((message) => (message.kind === 'report' ? [message.report] : []));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member.end()));
    },
  };
  try {
    await crews.all('ready');
  } catch (error) {
    await crews[Symbol.asyncDispose]();
    throw error;
  }
  return crews;
}

interface Member {
  send(order: Order): void;
  heard(kind: Message['kind']): Promise<Message>;
  grants(): number;
  end(): Promise<void>;
}

function startMember(assignment: Assignment): Member {
  // 'advanced': claims travel as a Float64Array.
  const child = fork(program, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  let grants = 0;
  child.on('message', (message: Message) => {
    if (message.kind === 'progress') ({ grants } = message);
  });
  const heard = new Map<Message['kind'], Promise<Message>>();
  for (const kind of ['ready', 'inLine', 'done', 'report'] as const) {
    const message = listen(child, kind, assignment.subject);
    // Not everybody waits for every message.
    message.catch(() => {});
    heard.set(kind, message);
  }
  const send = (order: Order): void => {
    child.send(order, () => {});
  };
  send({ kind: 'prepare', assignment });
  return {
    send,
    grants: () => grants,
    heard: (kind) => heard.get(kind) ?? Promise.reject(new Error(`nobody listens for "${kind}"`)),
    async end() {
      send({ kind: 'leave' });
      // It may be busy, or wait for a server that does not answer.
      const patience = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await exited;
      clearTimeout(patience);
    },
  };
}

function listen(child: ChildProcess, kind: Message['kind'], subject: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message.kind === kind) resolve(message);
      else if (message.kind === 'broken') reject(new Error(`A process of ${subject} failed: ${message.message}`));
    });
    child.on('exit', (code, signal) => reject(new Error(`A process of ${subject} died (${signal ?? code})`)));
  });
}
