import { randomUUID } from 'node:crypto';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import type { Locks } from '@locks/core';
import { messageOf, printable } from '@locks/core/text';
import type { Output } from '../output/output.ts';
import { prometheusText } from './prometheus.ts';

/**
 * Writes the last run of the job `key`, if there is one, to `file`, atomically. A failed write is
 * reported and changes nothing else: the job has run.
 */
export async function writeMetricsFile(
  file: string,
  locks: Pick<Locks, 'job'>,
  key: string,
  output: Output,
): Promise<void> {
  // node_exporter reads files that end with .prom. In containers all processes share few ids.
  const part = `${file}.${randomUUID()}.part`;
  try {
    const job = await locks.job(key);
    if (job === undefined) return;
    await writeFile(part, prometheusText([job]), { flag: 'wx' });
    // Whatever the umask: usually another user reads it.
    await chmod(part, 0o644);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    const message = messageOf(error);
    output.say(`The metrics of ${printable(key)} were not written. ${message}`, {
      event: 'metrics-unwritten',
      key,
      file,
      message,
    });
  }
}
