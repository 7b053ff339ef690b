// The command of the CronJob. `locks run` tells it the fencing token of its lock.
const { LOCKS_TOKEN } = process.env;
console.log(`writes the report, with token ${LOCKS_TOKEN}`);
