import { differentialTest } from '@locks/conformance';
import { expect, test } from 'vitest';
import { memoryInVirtualTime } from '../support/differential.ts';

const sequences = Number(process.env['LOCKS_DIFFERENTIAL'] ?? 2_000);

test('the memory provider answers as the rules of a key do', async () => {
  const report = await differentialTest(memoryInVirtualTime(sequences));
  console.log(JSON.stringify(report));
  expect(report).toMatchObject({ agreed: sequences, abandoned: 0, exempted: {} });
});
