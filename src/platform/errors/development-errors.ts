import { blockchainError, businessError } from './error-kinds.ts';

/** Errors that only the operations under /dev have. A service without these operations does not document them. */
export const developmentErrors = {
  CLOCK_IS_MOVING: businessError('The clock is already being moved', true),
  CLOCK_CANNOT_MOVE: businessError('The clock cannot move while other work is in progress', true),
  LEDGER_SWITCH_REFUSED: blockchainError('The development ledger refused the request'),
};
