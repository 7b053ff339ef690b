import type { AdapterModule } from '../../adapter/adapter-config.ts';
import type { LocksOptions } from '../../options/locks-options.ts';

/** Where the locks live and how they are taken: what a configuration file says. */
export interface LocksConfig extends LocksOptions {
  /**
   * The adapter: `memory`, `redis` for `@locks/redis`, and so on; `combine` for several stores as
   * one, `migrate` for a move between two, the id of any module that exports `fromConfig`, or such
   * a module itself.
   * @default by the scheme of `url`: one of these, or the package `locks-<scheme>` of others
   */
  readonly provider?: string | AdapterModule | undefined;
  /** Where the backend is. */
  readonly url?: string | URL | undefined;
  /** The adapter's own options; its page in `docs/backends` lists them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The path of a JSON file with a configuration. The options beside it are stronger. Not in the
   * file itself.
   */
  readonly config?: string | undefined;
}
