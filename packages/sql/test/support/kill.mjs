// Ends a connection from the side of its server. Its parent waits for that, and does nothing else.
import { openKnex } from './open-knex.mjs';

const [url, id] = process.argv.slice(2);
const knex = openKnex(url);
await knex.raw(url.startsWith('mysql') ? `KILL ${id}` : `SELECT pg_terminate_backend(${id})`);
await knex.destroy();
