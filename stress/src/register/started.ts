import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Resolves when `register` has told that it listens. Rejects when it ends before. */
export async function started(register: ChildProcess): Promise<void> {
  const died = once(register, 'exit').then(([code, signal]: unknown[]) => {
    throw new Error(`The register died at its start (${String(code ?? signal)}): see what it wrote above.`);
  });
  await Promise.race([once(register, 'message'), died]);
}
