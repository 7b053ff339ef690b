import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AdapterConfig, LockProvider } from '@locks/core';
import { createRecordProvider, misconfigured } from '@locks/core/adapter';
import type { ReadRecord, RecordOptions, StoredRecord } from '@locks/core/adapter';

const unless =
  <T>(code: RegExp, answer: T) =>
  (error: NodeJS.ErrnoException) =>
    code.test(error.code ?? '') ? answer : Promise.reject(error);

/** Locks for the processes of one Linux host that share `folder`. */
export async function createFolderProvider(folder: string, options?: RecordOptions): Promise<LockProvider> {
  const root = join(folder, (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
  await mkdir(root, { recursive: true });
  const pathOf = (key: string): string => join(root, createHash('sha256').update(key).digest('hex'));
  async function read(key: string, tries = 1_000): Promise<ReadRecord> {
    const now = Number(process.hrtime.bigint()) / 1e6;
    const names = await readdir(pathOf(key)).catch(unless(/ENOENT/, undefined));
    if (names === undefined) return { now };
    const version = names.find((name) => name.startsWith('at '))?.slice('at '.length) ?? 'none';
    const record = await readFile(join(pathOf(key), version), 'utf8').catch(unless(/ENOENT/, undefined));
    if (record === undefined && tries > 0) return await read(key, tries - 1);
    return { version, record, now };
  }
  async function replace(key: string, seen: string | undefined, next: StoredRecord): Promise<boolean> {
    const [path, state] = [pathOf(key), `at ${next.version}`];
    const draft = seen === undefined ? `${path} ${next.version}` : path;
    if (seen === undefined) await mkdir(join(draft, state), { recursive: true });
    // Past records, and those of processes that died or come too late.
    const old = seen === undefined ? [] : (await readdir(path)).filter((name) => !name.startsWith('at '));
    await writeFile(join(draft, next.version), next.record);
    const [from, to] = seen === undefined ? [draft, path] : [join(path, `at ${seen}`), join(path, state)];
    const done = await rename(from, to).then(() => true, unless(/ENOENT|ENOTEMPTY|EEXIST/, false));
    const lost = seen === undefined ? [draft] : [join(path, next.version)];
    const unused = done ? old.map((name) => join(path, name)) : lost;
    await Promise.all(unused.map((name) => rm(name, { recursive: true, force: true })));
    return done;
  }
  return createRecordProvider({ name: 'folder', scope: 'host', read, replace }, options);
}

/** What `openLocks` calls, with the URL `file:///run/my-app/locks?timeout=2s`. */
export async function fromConfig({ url, options, runtime }: AdapterConfig): Promise<LockProvider> {
  if (!url?.startsWith('file:')) throw misconfigured('The folder provider', 'it needs a file: URL');
  return await createFolderProvider(fileURLToPath(url), { ...options, runtime });
}
