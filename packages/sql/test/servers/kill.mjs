// Ends a connection from the side of its server. Its parent waits for that, and does nothing else.
import knexOf from 'knex';

const [client, connection, id] = process.argv.slice(2);
const knex = knexOf({ client, connection, pool: { min: 0, max: 1 } });
await knex.raw(client === 'pg' ? `SELECT pg_terminate_backend(${id})` : `KILL ${id}`);
await knex.destroy();
