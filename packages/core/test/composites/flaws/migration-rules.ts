export {
  countsOnEnd,
  heldUntil,
  keepsPlace,
  lifting,
  mayHold,
  renewalStep,
  scopeOf,
} from '../../../src/composites/migrate/decisions.ts';
export { PhaseMachine } from '../../../src/composites/migrate/phase-machine.ts';
