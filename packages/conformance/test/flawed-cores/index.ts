import { givingUp } from './giving-up.ts';
import { jobs } from './jobs.ts';
import { loss } from './loss.ts';
import { objects } from './objects.ts';
import type { CoreRecipe } from './recipe.ts';
import { validity } from './validity.ts';
import { waits } from './waiting.ts';

/** Cores that look right and are not; those that take longest come first. */
export const recipes: readonly CoreRecipe[] = [givingUp, waits, objects, jobs, loss, validity].flat();
