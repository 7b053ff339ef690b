import { knexStore } from '@verrou/core/drivers/knex';
import { createVerrouParty } from '../../subjects/verrou-party.ts';
import { openKnex } from './knex.ts';
import type { SqlSubject } from './subject.ts';

/** With its knex store, and the table as it creates it. */
export const verrou: SqlSubject = {
  name: 'verrou',
  async open({ url, ...options }) {
    const connection = openKnex(url);
    const party = createVerrouParty(knexStore({ connection }).factory(), options);
    return { ...party, close: () => connection.destroy() };
  },
};
