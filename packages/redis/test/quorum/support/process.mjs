// How another process of the conformance suite makes its composite.
import { combine } from '@locks/composites';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

export function create({ urls, settings, options }) {
  const members = urls.map((url) => {
    const client = new Redis(url);
    // A member may be dead or frozen.
    client.on('error', () => {});
    return createRedisProvider(client, settings);
  });
  return combine(members, options);
}
