import { givingUp } from './giving-up.ts';
import { loss } from './loss.ts';
import type { CoreRecipe } from './recipe.ts';
import { validity } from './validity.ts';
import { waits } from './waiting.ts';

export { blocked } from './validity.ts';

/** Cores that look right and are not. */
export const recipes: readonly CoreRecipe[] = [validity, loss, waits, givingUp].flat();
