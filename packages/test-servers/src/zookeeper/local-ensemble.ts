import { type ServerHandle, createHandle } from '../handle.ts';
import { startLocally } from '../local-process.ts';
import { PortTakenError, startOnFreePorts } from '../ports.ts';
import { defineZookeeper } from './definition.ts';
import type { ZookeeperEnsembleOptions } from './ensemble.ts';
import { ensembleSettings, memberLine } from './ensemble-settings.ts';

const host = '127.0.0.1';

/** Starts `size` members that vote, and then `observers`, as child processes. */
export function startLocalMembers(
  options: ZookeeperEnsembleOptions,
  size: number,
  observers: number,
): Promise<readonly ServerHandle[]> {
  const count = size + observers;
  return startOnFreePorts(host, 2 * count, (ports) => {
    const lines = Array.from({ length: count }, (_, index) => {
      const [quorumPort = 0, electionPort = 0] = ports.slice(2 * index);
      return memberLine({ host, quorumPort, electionPort, observer: index >= size });
    });
    return startTogether(lines.map((_, index) => startMember(options, index, lines, index >= size)));
  });
}

async function startMember(
  options: ZookeeperEnsembleOptions,
  index: number,
  lines: readonly string[],
  observer: boolean,
): Promise<ServerHandle> {
  const members = Object.fromEntries(lines.map((line, at) => [`server.${at + 1}`, line]));
  const settings = { ...ensembleSettings(options), ...members, ...(observer ? { peerType: 'observer' } : {}) };
  return createHandle(
    await startLocally(defineZookeeper({ tickTime: 500, ...options }, { settings: () => settings, member: index + 1 })),
  );
}

/** All of them, or none: stops those that have started when others have not. */
async function startTogether(starting: readonly Promise<ServerHandle>[]): Promise<readonly ServerHandle[]> {
  const results = await Promise.allSettled(starting);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (failures.length === 0) return started;
  await Promise.all(started.map((server) => server.stop()));
  throw failures.find((failure) => failure instanceof PortTakenError) ?? failures[0];
}
