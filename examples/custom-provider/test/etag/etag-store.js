// Locks in an HTTP store whose documents have an ETag, written from docs/write-a-provider.md.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createRecordProvider } from '@locks/core/adapter';

/** How another process makes its provider, too. */
export function create({ url, ...options }) {
  const agent = new Agent({ keepAlive: true });
  async function send(method, key, headers, body) {
    const sent = request(`${url}/${encodeURIComponent(key)}`, { agent, method, headers }).end(body);
    const [reply] = await once(sent, 'response');
    const text = (await reply.setEncoding('utf8').toArray()).join('');
    return { ...reply.headers, status: reply.statusCode, text };
  }
  const unexpected = ({ status }) => new Error(`The HTTP store answered ${status}.`);
  const store = {
    name: 'etag',
    scope: 'network',
    async read(key) {
      const reply = await send('GET', key);
      const now = Number(reply['x-clock']);
      if (reply.status === 404) return { now };
      if (reply.status !== 200) throw unexpected(reply);
      return { version: reply.etag, record: reply.text, now };
    },
    async replace(key, seen, { record }) {
      const condition = seen === undefined ? { 'if-none-match': '*' } : { 'if-match': seen };
      const reply = await send('PUT', key, condition, record);
      if (reply.status === 412) return false;
      if (reply.status !== 204) throw unexpected(reply);
      return reply.etag;
    },
    async close() {
      agent.destroy();
    },
  };
  return createRecordProvider(store, options);
}
