import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canDo, runNemesis } from '@locks/conformance/nemesis';
import { createFolderProvider } from '@locks/example-custom-provider';
import { expect, test } from 'vitest';

test('ten seconds of killed, stopped and blocked processes break no promise of the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
  const { traits } = await createFolderProvider(folder);
  const lines: string[] = [];
  const { rounds, failure } = await runNemesis({
    target: {
      name: 'folder',
      ttl: 1_000,
      openings: { folder: { module: new URL('support/opening.mjs', import.meta.url), args: folder } },
      fair: traits.fair,
      can: (turn) => canDo(traits, turn, true),
    },
    seconds: 10,
    shrink: 0,
    print: (line) => void lines.push(line),
  });
  expect(failure, lines.join('\n')).toBeUndefined();
  expect(rounds.reduce((sum, { grants }) => sum + grants, 0)).toBeGreaterThan(50);
  await rm(folder, { recursive: true });
}, 120_000);
