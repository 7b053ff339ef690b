import { expect, test } from 'vitest';
import { createRecordProvider } from '../../../src/adapter/record/create-record-provider.ts';
import { claimOf, together } from './map-store.ts';

test('no version is written twice, so a store that repeats a command is harmless', async () => {
  const { store, records } = together();
  const repeating = store({
    async replace(key, seen, next) {
      for (let sent = 0; sent < 2; sent += 1) {
        const found = records.get(key)?.version;
        if (found === seen) records.set(key, next);
        else return found === next.version;
      }
      return records.get(key)?.version === next.version;
    },
  });
  const provider = createRecordProvider(repeating);
  expect(await provider.tryAcquire(claimOf('one'))).toMatchObject({ granted: true });
  expect(await provider.release(claimOf('one'))).toBe(true);
  const [one, two] = [store(), store()];
  for (const each of [createRecordProvider(one), createRecordProvider(two)]) {
    await each.tryAcquire(claimOf('one'));
    await each.release(claimOf('one'));
  }
  const versions = [...one.versions, ...two.versions];
  expect(new Set(versions).size).toBe(versions.length);
  expect(versions.every((version) => /^[!-~]{1,40}$/.test(version))).toBe(true);
});

test.each([0, 1, 3])('a release that a client repeats says that it has freed (%i other processes)', async (others) => {
  const { store, records } = together();
  const answering = store();
  let between = async (): Promise<void> => {};
  const provider = createRecordProvider({
    ...answering,
    // The reply is lost, and the client sends the command again.
    async replace(...sent) {
      await answering.replace(...sent);
      await between();
      const [key, seen, next] = sent;
      return records.get(key)?.version === next.version || (await answering.replace(key, seen, next, false, [], 1_000));
    },
  });
  await provider.tryAcquire(claimOf('one'));
  between = async () => {
    for (let number = 0; number < others; number += 1) {
      const other = createRecordProvider(store());
      expect(await other.tryAcquire(claimOf(`other ${number}`))).toMatchObject({ granted: true });
      expect(await other.release(claimOf(`other ${number}`))).toBe(true);
    }
  };
  expect(await provider.release(claimOf('one'))).toBe(true);
  between = async () => {};
  expect(await provider.release(claimOf('one'))).toBe(false);
});

test('a write that comes when its claim was given up has no effect', async () => {
  const { store, records } = together();
  const answering = store();
  let deliver = async (): Promise<void> => {};
  let delays = true;
  const provider = createRecordProvider(
    {
      ...answering,
      replace: async (...sent) => {
        if (!delays) return await answering.replace(...sent);
        deliver = async () => void (await answering.replace(...sent));
        return await new Promise<never>(() => {});
      },
    },
    { timeout: 100 },
  );
  const claim = claimOf('one');
  await expect(provider.tryAcquire(claim, () => {})).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  delays = false;
  expect(await provider.release(claim)).toBe(false);
  await deliver();
  expect(await provider.inspect('k')).toMatchObject({ holders: [], waiters: 0 });
  expect(records.get('key:k')?.record).toMatch(/\[\],\[\]\]$/);
});
