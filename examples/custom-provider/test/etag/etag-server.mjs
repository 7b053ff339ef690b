// An HTTP server of documents. Each write gives its document a new ETag. It keeps them in a file:
// node etag-server.mjs PORT FILE
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , port, file] = process.argv;
const documents = new Map(JSON.parse(readFileSync(file, 'utf8') || '[]'));

async function serve(request, response) {
  const body = (await request.setEncoding('utf8').toArray()).join('');
  const { url, method, headers } = request;
  const found = documents.get(url);
  let tag = found?.tag;
  const answer = (status, text) => {
    // One clock for the whole life of the machine, so also after a restart.
    const clock = Number(process.hrtime.bigint()) / 1e6;
    response.writeHead(status, { 'x-clock': clock, ...(tag && { etag: tag }) }).end(text);
  };
  if (method === 'GET') return answer(found ? 200 : 404, found?.record);
  const holds = headers['if-none-match'] === '*' ? !found : headers['if-match'] === tag;
  if (!holds) return answer(412);
  tag = JSON.stringify(randomUUID());
  documents.set(url, { tag, record: body });
  writeFileSync(`${file}.new`, JSON.stringify([...documents]));
  renameSync(`${file}.new`, file);
  return answer(204);
}

const server = createServer((request, response) => void serve(request, response));
server.listen(Number(port), '127.0.0.1', () => process.send('listening'));
process.once('disconnect', () => process.exit());
