/** The default of `combine`, in ms. */
export const memberTimeout = 500;
