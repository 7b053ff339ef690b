import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';

/**
 * Looks at the servers of a configuration, for `locks doctor`. It makes no node.
 * @throws as `fromConfig`.
 */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  // Loaded when first needed: few processes do.
  return await (await import('./diagnosis/diagnose.ts')).diagnose(config);
}
