import type { LockState } from '@locks/core';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { drawTable, rowsOf } from '../../src/watch/rows.ts';

/** A key whose names have characters of all widths. */
const state: LockState = {
  key: '注文/処理/東京-🔒-e\u0301tat/a-key-that-is-long',
  holders: [
    {
      key: 'key',
      owner: 'サーバー:18413/Q2drZB9mZwM9Yycq.0',
      mode: 'exclusive',
      token: 1795770937044923n,
      remaining: 29_700,
    },
  ],
  waiters: 1,
  queue: [{ owner: 'vm:18432/24vGUaejqnucWloZ.0', mode: 'exclusive' }],
};

test('the table fits into each width', () => {
  for (let width = 30; width < 200; width += 1) {
    const drawn = drawTable(rowsOf(state), width).split('\n');
    expect(drawn).toHaveLength(3);
    expect(Math.max(...drawn.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    expect(drawn[1]).toContain('29.7 s');
    expect(drawn[2]).toContain('waiter 1');
  }
});

test('columns under wide characters stay aligned, and a narrow screen does without modes first', () => {
  const at = (width: number): readonly string[] => drawTable(rowsOf(state), width).split('\n');
  for (const width of [62, 80, 200]) {
    const [head = '', first = '', second = ''] = at(width);
    const start = stringWidth(head.slice(0, head.indexOf('EXPIRES')));
    expect(stringWidth(first.slice(0, first.indexOf('29.7')))).toBe(start);
    expect(stringWidth(second.slice(0, second.indexOf('waiter')))).toBe(start);
  }
  expect(at(90)[0]).toMatch(/^KEY +OWNER +MODE +TOKEN +EXPIRES IN +WAITERS$/);
  expect(at(80)[0]).toMatch(/^KEY +OWNER +TOKEN +EXPIRES IN +WAITERS$/);
  expect(at(62)[0]).toMatch(/^KEY +OWNER +EXPIRES IN +WAITERS$/);
});
