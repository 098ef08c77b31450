import { businessError, type RegisteredError } from './error-kinds.ts';

/** Errors of claims from the pot of a vault that ends. */
export const claimErrors = {
  CLAIMS_NOT_OPEN: businessError('Nothing can be claimed from the vault yet', true),
  CLAIMS_CLOSED: businessError('Nothing can be claimed from the vault any more'),
  CLAIM_TOO_SMALL: businessError('The share of these tokens is less than one lovelace'),
  CLAIM_EXCEEDS_SUPPLY: businessError('Fewer tokens than these circulate'),
  CLAIMS_AWAIT_SALE: businessError(
    'An execution is sent that is not final; claim again when what it brings is in the pot',
    true,
  ),
  POT_IN_USE: businessError('Other claims hold the outputs of the pot; claim again when they are in a block', true),
  CLAIM_OUTPUT_TAKEN: businessError('Another claim has taken the output of the pot; claim again'),
} as const satisfies Record<string, RegisteredError>;
