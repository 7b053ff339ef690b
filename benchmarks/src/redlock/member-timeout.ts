/** That of `combine` by default, in ms. */
export const memberTimeout = 500;
