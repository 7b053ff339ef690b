import 'reflect-metadata';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTestLocks } from '@locks/core/testing';
import type { TestLocks } from '@locks/core/testing';
import { LOCKS } from '@locks/nestjs';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { Invoices, InvoicesModule } from './invoices.js';

let tested: TestLocks;
let app: TestingModule;

beforeEach(async () => {
  tested = createTestLocks();
  const builder = Test.createTestingModule({ imports: [InvoicesModule] });
  app = await builder.overrideProvider(LOCKS).useValue(tested.locks).compile();
});

afterEach(() => app.close());

test('an invoice is sent under its lock', async () => {
  const [first, second] = await Promise.all([app.get(Invoices).send('7'), app.get(Invoices).send('7')]);
  expect(tested.taken).toEqual(['invoice/7', 'invoice/7']);
  expect(first).not.toEqual(second);
});

test('a call whose lease was lost rejects, with the result of its work', async () => {
  const sending = app.get(Invoices).send('8');
  while (!tested.taken.includes('invoice/8')) await new Promise((resolve) => setImmediate(resolve));
  await tested.lose('invoice/8');
  await expect(sending).rejects.toMatchObject({ code: 'LOCK_LOST', result: expect.stringMatching(/^sent/) });
});

test('the shutdown waits for the work, and takes no more', async () => {
  const sending = app.get(Invoices).send('9');
  while (!tested.taken.includes('invoice/9')) await new Promise((resolve) => setImmediate(resolve));
  let ended = false;
  void sending.then(() => (ended = true));
  await app.close();
  expect(ended).toBe(true);
  await expect(app.get(Invoices).send('10')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
});
