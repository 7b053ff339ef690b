// Ends the connections of clients from the side of each server. Its parent waits for that, and does
// nothing else.
import { Redis } from 'ioredis';

for (const port of process.argv.slice(2)) {
  const redis = new Redis({ port: Number(port), host: '127.0.0.1' });
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  redis.disconnect();
}
