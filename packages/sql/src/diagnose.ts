import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';

/**
 * Looks at the database of a configuration and at its tables, for `locks doctor`. It changes no
 * row.
 * @throws as `fromConfig`, but for tables that are missing or old.
 */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  // Loaded when first needed: few processes do.
  return await (await import('./diagnosis/diagnose.ts')).diagnose(config);
}
