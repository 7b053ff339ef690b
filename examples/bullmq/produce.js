import { Queue } from 'bullmq';

const url = process.env.REDIS_URL || 'redis://localhost:6379';
const queue = new Queue('invoices', { connection: { url } });
const options = { attempts: 3, removeOnComplete: true };
const customers = ['ada', 'ada', 'ada', 'ben', 'ben', 'ben'];
await queue.addBulk(customers.map((customer) => ({ name: 'invoice', data: { customer }, opts: options })));
console.log(`${customers.length} jobs`);
await queue.close();
