import { openLocks } from '@locks/core';

const url = process.env.STORE;
for (const each of [url, url.replace('redis:', 'valkey:')]) {
  try {
    const locks = await openLocks(each);
    console.log(await locks.withLock('job', ({ held }) => held));
    await locks.close();
  } catch (error) {
    console.log(error.code, error.message);
  }
}
