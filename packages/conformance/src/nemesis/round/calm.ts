import type { Script, Turn } from '../script.ts';

/** Each key of `script` once. */
export function calmTurns(script: Script): Turn[] {
  const turns = new Map<string, Turn>();
  for (const { key, more = [], how, mode, permits } of turnsOf(script)) {
    if (how === 'once') continue;
    for (const each of [key, ...more]) {
      const shares = permits === undefined ? {} : { permits };
      const before = turns.get(each);
      if (before !== undefined && permits === undefined) continue;
      const all = permits === undefined ? 'exclusive' : mode;
      turns.set(each, { key: each, mode: all, ...shares, how: 'acquire', think: 0, hold: 2, calm: true });
    }
  }
  return [...turns.values()];
}

/** The keys of a script in the store, and its jobs. */
export function keysOf(
  script: Script,
  prefix: string,
): { readonly keys: readonly string[]; readonly jobs: readonly string[] } {
  const all = turnsOf(script);
  const jobs = unique(all.filter(({ how }) => how === 'once').map(({ key }) => `${prefix}${key}`));
  const keys = unique(all.flatMap(({ key, more = [] }) => [key, ...more]).map((key) => `${prefix}${key}`));
  return { keys: [...keys, ...jobs.map((job) => `once/${job}`)], jobs };
}

function turnsOf({ workers }: Script): readonly Turn[] {
  return workers.flatMap(({ flows }) => flows.flat());
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
