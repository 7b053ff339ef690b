import type { Redis } from 'ioredis';

/** What the servers did since the last `resetStatistics`. */
export interface ServerStatistics {
  /**
   * Calls and time by command, including those made by scripts; the time of a script includes
   * theirs.
   */
  readonly commands: ReadonlyMap<string, { readonly calls: number; readonly microseconds: number }>;
}

export async function resetStatistics(controls: readonly Redis[]): Promise<void> {
  await Promise.all(controls.map((control) => control.config('RESETSTAT')));
}

/** The sums over all servers. */
export async function readStatistics(controls: readonly Redis[]): Promise<ServerStatistics> {
  const texts = await Promise.all(controls.map((control) => control.info('commandstats')));
  const text = texts.join('\n');
  const commands = new Map<string, { calls: number; microseconds: number }>();
  for (const [, name, calls, microseconds] of text.matchAll(/^cmdstat_(\S+?):calls=(\d+),usec=(\d+)/gm)) {
    if (name === undefined || name.startsWith('config') || name === 'info') continue;
    const sum = commands.get(name) ?? { calls: 0, microseconds: 0 };
    commands.set(name, { calls: sum.calls + Number(calls), microseconds: sum.microseconds + Number(microseconds) });
  }
  return { commands };
}

/** All commands that the server ran, including those of scripts. */
export function allCommands({ commands }: ServerStatistics): number {
  let all = 0;
  for (const { calls } of commands.values()) all += calls;
  return all;
}

/**
 * The time that the server spent on `sent` commands, in microseconds. For a command that scripts
 * call too, its mean time counts.
 */
export function serverTime({ commands }: ServerStatistics, sent: ReadonlyMap<string, number>): number {
  let time = 0;
  for (const [name, calls] of sent) {
    const command = commands.get(name);
    if (command !== undefined && command.calls > 0) time += (command.microseconds / command.calls) * calls;
  }
  return time;
}

/** CPU time of the server since its start, in ms. */
export async function serverCpu(control: Redis): Promise<number> {
  const text = await control.info('cpu');
  let seconds = 0;
  for (const [, value] of text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)) seconds += Number(value);
  return seconds * 1_000;
}
