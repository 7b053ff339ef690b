/**
 * The options that correspond to URL parameters of other clients, by name. `undefined`: an
 * unsupported value.
 */
export type UrlParameters = Readonly<Record<string, (value: string) => Readonly<Record<string, unknown>> | undefined>>;

/** Parameters that Prisma and its hosts add to URLs. */
export const commonParameters: UrlParameters = {
  connection_limit: (pool) => ({ pool }),
};

/** The options for each value, case-insensitive. */
export function valuesOf(meanings: Readonly<Record<string, Readonly<Record<string, unknown>>>>): UrlParameters[string] {
  return (value) => (Object.hasOwn(meanings, value.toLowerCase()) ? meanings[value.toLowerCase()] : undefined);
}
