/** Held, shared, in each member of a composite by each process that uses it. */
export const setKey = 'quorum/members';
