import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exemptions } from '../../src/differential/exemptions.ts';

test('the reference has the table of exemptions', () => {
  const text = readFileSync(new URL('../../../../docs/provider-reference.md', import.meta.url), 'utf8');
  const [, table = ''] = /## Where stores differ from the rules\n([^]*?)\n## /.exec(text) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.map((row) => row.split('|').map((cell) => cell.trim()))).toEqual(
    exemptions.map(({ id, stores, reason }) => ['', `\`${id}\``, stores.join(', '), reason, '']),
  );
});
