import { createRecordProvider } from '@locks/core/adapter';
import { Redis } from 'ioredis';

const read = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('HMGET', KEYS[1], 'version', 'record')
return { tostring(now), kept[1], kept[2] }`;

// A client that repeats a command finds its own version there.
const replace = `
local version = redis.call('HGET', KEYS[1], 'version')
if version == ARGV[2] then return 1 end
if (version or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'record', ARGV[3])
if ARGV[5] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
if ARGV[4] == '1' then redis.call('PUBLISH', KEYS[1], '') end
return 1`;

/** Locks in a Redis by two scripts: one hash for each key, and a message where claims wait. */
export function create({ url, prefix, ...options }) {
  const client = new Redis(url);
  const subscriber = new Redis(url, { autoResubscribe: false });
  for (const each of [client, subscriber]) each.on('error', () => {});
  const watchers = new Map();
  subscriber.on('message', (channel) => watchers.get(channel)?.changed());
  subscriber.on('close', () => {
    for (const { lost } of watchers.values()) lost(new Error('the connection was lost'));
  });
  return createRecordProvider(
    {
      name: 'redis records',
      scope: 'network',
      async read(key) {
        const [now, version, record] = await client.eval(read, 1, prefix + key);
        return { version: version ?? undefined, record: record ?? undefined, now: Number(now) };
      },
      async replace(key, seen, next, waited) {
        const values = [seen ?? '', next.version, next.record, waited ? '1' : '0', next.keepFor ?? ''];
        return (await client.eval(replace, 1, prefix + key, ...values)) === 1;
      },
      async watch(key, changed, lost) {
        const channel = prefix + key;
        watchers.set(channel, { changed, lost });
        await subscriber.subscribe(channel);
        return () => {
          watchers.delete(channel);
          subscriber.unsubscribe(channel).catch(() => {});
        };
      },
      async *list(start) {
        for await (const keys of client.scanStream({ match: `${escaped(prefix + start)}*` })) {
          yield* keys.map((key) => key.slice(prefix.length));
        }
      },
      async time() {
        const [now] = await client.eval(read, 1, prefix);
        return Number(now);
      },
      async close() {
        client.disconnect();
        subscriber.disconnect();
      },
    },
    options,
  );
}

function escaped(text) {
  return text.replaceAll(/[\\*?[\]^-]/g, (character) => `\\${character}`);
}
