// A process of its own that creates the tables of the database at the URL that it is given, when it
// is told.
import { once } from 'node:events';
import { migrateTables } from '@locks/sql';
import { openKnex } from './open-knex.mjs';

const [url] = process.argv.slice(2);
process.send('ready');
await once(process, 'message');
const knex = openKnex(url);
await migrateTables(knex);
await knex.destroy();
process.disconnect();
