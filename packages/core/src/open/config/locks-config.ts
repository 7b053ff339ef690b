import type { AdapterModule } from '../../adapter/adapter-config.ts';
import type { LocksOptions } from '../../options/locks-options.ts';

/** Where the locks are stored and how they are taken: the content of a configuration file. */
export interface LocksConfig extends LocksOptions {
  /**
   * The adapter: `memory`, `redis` for `@locks/redis`, and so on; `combine` for several stores as
   * one, `migrate` for a move between two, the id of any module that exports `fromConfig`, or such
   * a module itself.
   * @default by the scheme of `url`: one of these, or the third-party package `locks-<scheme>`
   */
  readonly provider?: string | AdapterModule | undefined;
  /** The address of the backend. */
  readonly url?: string | URL | undefined;
  /** The adapter's own options; its page in `docs/backends` lists them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The path of a JSON file with a configuration. The options beside it override it. Not allowed in
   * the file itself.
   */
  readonly config?: string | undefined;
}
