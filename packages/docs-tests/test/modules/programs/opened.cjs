const { openLocks } = require('@locks/core');

openLocks(process.env.STORE).then(async (locks) => {
  console.log(await locks.withLock('job', ({ held }) => held));
  await locks.close();
});
