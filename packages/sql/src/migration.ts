/** One step of the tables' layout, in one dialect, with the default names. */
export interface Migration {
  readonly name: string;
  readonly up: readonly string[];
  readonly down: readonly string[];
}
