import '@locks/redis/register';
import '@locks/composites/register';
import { openLocks } from '@locks/core';

async function main() {
  const locks = await openLocks(process.env.STORE);
  console.log(await locks.withLock('bundled', (lease) => typeof lease.token));
  await locks.close();
  const refused = async (url) => {
    const { code, message } = await openLocks(url).catch((error) => error);
    console.log(code, message);
  };
  await refused('redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3');
  await refused('sqlite:./locks.db');
}

void main();
