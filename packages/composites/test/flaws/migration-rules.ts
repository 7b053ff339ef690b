export {
  countsOnEnd,
  heldUntil,
  keepsPlace,
  lifting,
  mayHold,
  renewalStep,
  scopeOf,
} from '../../src/migrate/decisions.ts';
export { PhaseMachine } from '../../src/migrate/phase-machine.ts';
