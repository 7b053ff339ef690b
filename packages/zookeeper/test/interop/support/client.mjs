// What tests and peers do with ZooKeeper besides locking.
import zookeeper from 'node-zookeeper-client';

/** A client of its own with a session of its own. */
export async function openClient(servers, sessionTimeout) {
  const client = zookeeper.createClient(servers, { sessionTimeout, retries: 0 });
  await new Promise((resolve) => {
    client.once('connected', resolve);
    client.connect();
  });
  /** `call` is given a callback for an error and the result. */
  const promise = (call) =>
    new Promise((resolve, reject) => {
      call((error, result) => (error instanceof Error ? reject(error) : resolve(result)));
    });
  return {
    create: (path, data, mode) =>
      promise((done) => client.create(path, Buffer.from(data), zookeeper.CreateMode[mode], done)),
    /** With all nodes above it. */
    createPath: (path) => promise((done) => client.mkdirp(path, done)),
    children: (path) => promise((done) => client.getChildren(path, done)),
    read: async (path) => String((await promise((done) => client.getData(path, done))) ?? ''),
    write: (path, data) => promise((done) => client.setData(path, Buffer.from(data), -1, done)),
    remove: (path) => promise((done) => client.remove(path, -1, done)),
    exists: async (path) => (await promise((done) => client.exists(path, done))) !== null,
    close: () => client.close(),
  };
}
