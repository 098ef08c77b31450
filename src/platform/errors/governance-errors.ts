import { businessError, type RegisteredError } from './error-kinds.ts';

/** Errors of stakes, proposals, votes and executions. */
export const governanceErrors = {
  VAULT_NOT_LOCKED: businessError('The vault has not settled yet', true),
  ONLY_SALES_WHILE_ENDING: businessError(
    'While the claims on a vault run, its holders can only decide sales and the return of staked assets',
  ),
  CLAIMS_END_BEFORE_EXECUTION: businessError('The claims on the vault end before the proposal could be executed'),
  CREATION_THRESHOLD_NOT_MET: businessError('The final stakes of the proposer are below the creation threshold'),
  ASSET_NOT_IN_VAULT: businessError('The vault does not hold this asset'),
  ASSET_IN_ANOTHER_PROPOSAL: businessError('Another proposal about this asset has passed', true),
  ENDORSING_CLOSED: businessError('The proposal no longer collects endorsements'),
  ALREADY_ENDORSED: businessError('The wallet has already endorsed this proposal'),
  VOTING_NOT_OPEN: businessError('Voting has not opened yet', true),
  VOTE_NONCE_USED: businessError('The wallet has already signed a vote on this proposal with this nonce'),
  VOTE_ALREADY_REVOKED: businessError('The vote was already revoked or replaced'),
  VOTING_CLOSED: businessError('Voting has closed'),
  NOT_STAKED_AT_SNAPSHOT: businessError('The wallet has no stake that gives voting power in this proposal'),
  INSUFFICIENT_VOTING_POWER: businessError('The wallet does not have this much voting power'),
  PROPOSAL_NOT_CANCELLABLE: businessError('The proposal can only be cancelled as a draft or in its lock phase'),
  EXECUTION_NOT_OPEN: businessError('The execution phase has not opened yet', true),
  EXECUTION_CLOSED: businessError('The proposal can no longer be executed'),
  EXECUTION_UNDER_WAY: businessError('The execution is already in progress on the ledger'),
  EXECUTION_NOT_REPLACEABLE: businessError('What another wallet has frozen still collects signatures', true),
  FROZEN_FOR_ANOTHER_ACTION: businessError('The frozen transaction is for another action or other cosigners'),
  PARTNER_REFUSED: businessError(
    'Executions with this buyer or seller have failed, and the vote did not name this wallet; name another one',
  ),
  ASSET_NO_LONGER_HELD: businessError('The asset is no longer in the custody of the vault'),
  ASSET_NOT_STAKED: businessError('The asset is not at this staking address'),
  STAKING_ADDRESS_NOT_LISTED: businessError('The vault does not allow staking at this address'),
  CUSTODY_ROTATING: businessError('The assets of the vault move to another custody; execute when they are there', true),
  CUSTODY_IN_USE: businessError('Another execution uses the same assets or funds of the vault', true),
  WALLET_FUNDS_IN_USE: businessError(
    'Another transaction of the wallet uses the same funds; freeze the execution again',
  ),
  ACTION_DIFFERS_FROM_APPROVED: businessError('The action is not the one that the vote approved'),
  PRICE_BELOW_VALUATION: businessError(
    'The price is below the last valuation, and the vote did not approve it, or the vault ends',
  ),
  PRICE_ABOVE_VALUATION: businessError('The price is above the last valuation, and the vote did not approve it'),
  STAKE_NOT_FINAL: businessError('The stake is not final on the ledger yet', true),
  STAKE_LOCKED: businessError('The stake is used in a proposal that has not ended', true),
  STAKE_ALREADY_LEAVING: businessError('The stake is already being returned'),
  STAKE_ALREADY_RELEASED: businessError('The stake has already been returned'),
} as const satisfies Record<string, RegisteredError>;
