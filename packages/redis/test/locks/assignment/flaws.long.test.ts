import { startRedis } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { checks } from './checks.ts';
import { flaws } from './flaws.ts';
import { createSetting } from './setting.ts';

// The checks look at its channels.
const server = await startRedis();
afterAll(() => server.stop());

test.each(flaws)('finds that $name, as "$fails" fails', async (flaw) => {
  await expect(checks[flaw.fails](createSetting(server.url, { flaw }))).rejects.toThrow(/expected|in vain|not free/);
});
