import type { ZookeeperParty, ZookeeperSubject } from './subject.ts';

/** Loads only the needed ones: a process that measures one library does not load the others. */
const loaders: Readonly<Record<string, () => Promise<ZookeeperSubject>>> = {
  'raw client': async () => (await import('./raw.ts')).raw,
  '@locks': async () => (await import('./ours.ts')).ours,
  'distributed-lock': async () => (await import('./distributed-lock.ts')).distributedLock,
};

/** Those that run in a Node process, including ours. */
export const nodeSubjects: readonly string[] = Object.keys(loaders);

/** Connects `name` to the server at `url`. */
export async function openParty(name: string, url: string): Promise<ZookeeperParty> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`There is no subject "${name}", only ${nodeSubjects.join(', ')}.`);
  return await (await load()).open(url);
}
