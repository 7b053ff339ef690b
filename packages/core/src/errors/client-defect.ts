/**
 * Whether a call failed because of a defect, or of a client that is not of the kind that it was
 * taken for: another attempt fails as well. `fetch` has a cause for its own, which may pass.
 */
export function isDefect(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause === undefined;
}
