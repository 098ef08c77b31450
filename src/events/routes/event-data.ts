import { z } from 'zod';
import { AssetTypeName } from '../../assets/schemas.ts';
import type { EventType } from '../queries/event-types.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { ProposalStatusEnum, ProposalTypeEnum } from '../../proposals/routes/resource.ts';
import { terminationEnds } from '../../termination/rules/steps.ts';
import { TransactionKindEnum, TransactionStateEnum } from '../../transactions/routes/enums.ts';
import {
  HoldReasonEnum,
  TerminationReasonEnum,
  VaultStatusEnum,
  VaultTypeName,
  WindowStatusEnum,
} from '../../vaults/routes/enums.ts';
import { voteDecisions } from '../../votes/rules.ts';

const lovelace = AmountText.describe('Lovelace');
const payment = z.looseObject({
  owner: z.string().describe('Address that is paid.'),
  deposit: z
    .looseObject({ txHash: z.string().describe('Transaction hash.'), index: z.int().describe('Index of the output.') })
    .describe('Output that was deposited.'),
  feeShare: lovelace.describe('Share of the network fee, in lovelace.'),
});
/** What the owner of a deposit receives by a delivery. */
const deliveredPayment = payment.extend({
  ft: AmountText.describe('Fractional tokens, in base units.'),
  lovelaceShare: lovelace.describe('Share of the invested ADA, in lovelace.'),
  depositReturned: lovelace.describe('Rest of the delivery deposit, in lovelace.'),
  custodyMinAda: lovelace.describe('Lovelace that stays with the asset in custody. 0 for an investment.'),
  ownerOutput: z.int().describe('Index of the output that pays the owner.'),
  custodyOutput: z.int().nullable().describe('Index of the output of the asset in custody. `null` for an investment.'),
});
/** What the owner of a deposit receives by a refund. */
const refundedPayment = payment.extend({
  lovelaceReturned: lovelace.describe('Lovelace returned to the owner. Assets come with it.'),
});

const none = z.looseObject({});
const windowKind = z.enum(['asset', 'investment']).describe('Kind of window.');
const reason = z.looseObject({ reason: HoldReasonEnum });
const transaction = z.looseObject({ kind: TransactionKindEnum });
const transactionStatus = transaction.extend({
  from: TransactionStateEnum,
  to: TransactionStateEnum,
  blockHeight: z.int().nullable().describe('Block height. `null` while it is in no block.'),
  reason: z.string().nullable().describe('Reason why it expired, failed or was rolled back, otherwise `null`.'),
});

/** What events of a vault, its windows, its settlement and its transactions say. */
const vaultEventData = {
  VAULT_CREATED: z.looseObject({
    name: z.string().describe('Name of the vault.'),
    type: VaultTypeName,
    contractAddress: z.string().describe('Address of its custody.'),
  }),
  VAULT_CREATION_ROLLED_BACK: none,
  VAULT_STATUS_CHANGED: z.looseObject({
    from: VaultStatusEnum,
    to: VaultStatusEnum,
    reason: TerminationReasonEnum.nullable().describe('Reason why it ended, otherwise `null`.'),
  }),
  VAULT_FAILED: z.looseObject({ reason: TerminationReasonEnum }),
  WINDOW_STATUS_CHANGED: z.looseObject({ window: windowKind, from: WindowStatusEnum, to: WindowStatusEnum }),
  VAULT_HELD: reason,
  VAULT_RELEASED: reason,
  VAULT_CANCEL_REQUESTED: none,
  VAULT_ALLOW_LIST_CHANGED: z.looseObject({
    type: z.string().describe('List that changed.'),
    operation: z.string().describe('Kind of change.'),
    count: z.int().describe('Number of entries after the change.'),
  }),
  VAULT_SETTINGS_CHANGED: z.looseObject({
    investorListEnabled: z.boolean().optional(),
    valuationType: z.string().optional(),
    customPrices: z.int().describe('Number of prices in the request.').optional(),
    fdp: z.string().describe('Floor price deviation in percent.').optional(),
  }),
  VAULT_DELETED: z.looseObject({ status: VaultStatusEnum }),
  VALUATION_CHANGED: z.looseObject({
    total: AmountText.describe('Value of all assets, in lovelace.'),
    nftValue: AmountText.describe('Value of the NFTs, in lovelace.'),
    cntValue: AmountText.describe('Value of the other assets, in lovelace.'),
  }),
  TRANSACTION_SIGNED: transaction,
  TRANSACTION_WITHDRAWN: transaction,
  TRANSACTION_STATUS_CHANGED: transactionStatus,
  TRANSACTION_ROLLED_BACK: transactionStatus,
  TRANSACTION_REFUSED: transaction.extend({
    reason: z
      .string()
      .nullable()
      .describe('Reason why the ledger rejects it. `null` when the ledger accepts it after all.'),
  }),
  SETTLEMENT_PLANNED: z.looseObject({
    value: AmountText.describe('Value of the assets, in lovelace.'),
    invested: AmountText.describe('Lovelace invested.'),
    fdv: AmountText.describe('Fully diluted valuation, in lovelace.'),
  }),
  SETTLEMENT_REVISED: z.looseObject({
    reclaimedInvestments: z.array(z.string()).describe('Investments that their owners took back.'),
    invested: AmountText.describe('Lovelace invested without these investments.'),
    lpLovelace: AmountText.describe('Lovelace of the liquidity share.'),
    contributorsLovelace: AmountText.describe('Lovelace of all contributors.'),
    contributors: z.array(z.looseObject({ assetId: z.uuid().describe('ID of the asset.'), lovelace })),
  }),
};

const amount = AmountText.describe('Base units of the token.');
const namedAsset = z.looseObject({
  assetId: z.uuid().describe('ID of the asset.'),
  policyId: z.string().describe('Policy ID, in hex.'),
  assetName: z.string().describe('Asset name, in hex.'),
});
const asset = namedAsset.extend({ assetType: AssetTypeName, quantityBaseUnits: amount });
const investment = z.looseObject({ investmentId: z.uuid().describe('ID of the investment.'), lovelace });
const deposit = z.looseObject({
  depositId: z.uuid().describe('ID of the asset or investment.'),
  depositKind: z.enum(['asset', 'investment']).describe('Kind of deposit.'),
});
const delivered = z.looseObject({ deposits: z.array(deposit.extend({ payment: deliveredPayment })) });
const refunded = z.looseObject({ deposits: z.array(deposit.extend({ payment: refundedPayment })) });

/** What events of assets and investments say. */
const depositEventData = {
  ASSET_ADD_STARTED: namedAsset,
  ASSET_ADDED: asset,
  ASSET_ADD_ROLLED_BACK: asset,
  ASSET_ADD_EXPIRED: asset,
  ASSET_PRICED: namedAsset.extend({
    price: AmountText.describe('Lovelace for one whole token or one NFT.'),
    source: z.string().describe('Same as `priceSource` of the asset.'),
    asOf: Timestamp.describe('Same as `lastValuation` of the asset.'),
  }),
  ASSET_REMOVE_STARTED: namedAsset,
  ASSET_REMOVED: asset,
  ASSET_REMOVE_ROLLED_BACK: asset,
  ASSET_REMOVE_EXPIRED: asset,
  DUPLICATE_RETURN_STARTED: z.looseObject({
    output: z.string().describe('Output, as `<hash>#<index>`.'),
    to: z.string().describe('Address that gets the output back.'),
  }),
  INVESTMENT_STARTED: investment,
  INVESTMENT_MADE: investment,
  INVESTMENT_ROLLED_BACK: investment,
  INVESTMENT_EXPIRED: investment,
  INVESTMENT_REMOVE_STARTED: investment,
  INVESTMENT_REMOVED: investment,
  INVESTMENT_REMOVE_ROLLED_BACK: investment,
  INVESTMENT_REMOVE_EXPIRED: investment,
  DEPOSITS_DELIVERED: delivered,
  DEPOSITS_DELIVERY_ROLLED_BACK: delivered,
  DEPOSITS_REFUNDED: refunded,
  DEPOSITS_REFUND_ROLLED_BACK: refunded,
  DEPOSIT_RECLAIMED: deposit,
  DEPOSIT_RECLAIM_ROLLED_BACK: deposit,
};

const proposalId = z.uuid().describe('ID of the proposal.');
const stake = z.looseObject({ stakeId: z.uuid().describe('ID of the stake.'), amountBaseUnits: amount });
const claim = z.looseObject({
  claimId: z.uuid().describe('ID of the claim.'),
  amountBaseUnits: amount,
  payoutLovelace: AmountText.describe('Lovelace paid for the tokens.'),
});
const votes = z.looseObject({ proposalId, votes: z.int().describe('Number of votes.') });
const vote = z.looseObject({ voteId: z.uuid().describe('ID of the vote.'), proposalId });
const execution = z.looseObject({ proposalId, executionId: z.uuid().describe('ID of the execution.') });
const cause = z.string().describe('Reason, in words.');
const cosignedExecution = execution.extend({
  type: ProposalTypeEnum,
  cosigners: z
    .array(z.string())
    .describe('Wallets named to cosign. `requiredCosigners` of the execution is the number that must sign.'),
});
const executionOnLedger = execution.extend({
  type: ProposalTypeEnum,
  assetIds: z.array(z.string()).describe('IDs of the affected assets.'),
  cause: cause.optional(),
});

/** What events of stakes, claims, proposals, votes and executions say. */
const governanceEventData = {
  STAKE_STARTED: stake,
  STAKE_CONFIRMED: stake,
  STAKE_FINAL: stake,
  STAKE_ROLLED_BACK: stake,
  STAKE_EXPIRED: stake,
  STAKE_RETURN_STARTED: stake,
  STAKE_RELEASED: stake,
  STAKE_RECLAIMED: stake,
  STAKE_RETURN_ROLLED_BACK: stake,
  STAKE_RETURN_EXPIRED: stake,
  STAKE_UNLOCKED: stake,
  CLAIM_STARTED: claim,
  CLAIM_CONFIRMED: claim,
  CLAIM_ROLLED_BACK: claim,
  CLAIM_EXPIRED: claim,
  PROPOSAL_CREATED: z.looseObject({
    proposalId,
    type: ProposalTypeEnum,
    title: z.string().describe('Title of the proposal.'),
    status: ProposalStatusEnum,
  }),
  PROPOSAL_ENDORSED: z.looseObject({
    proposalId,
    powerBaseUnits: AmountText.describe('Voting power of all endorsements, in base units.'),
  }),
  PROPOSAL_STATUS_CHANGED: z.looseObject({
    proposalId,
    status: ProposalStatusEnum,
    reason: z
      .string()
      .nullable()
      .describe('FAILED: a `ProposalFailure`. PASSED again: `rolled_back`, or `execution_failed`. Otherwise `null`.'),
  }),
  VOTE_CAST: vote.extend({
    decision: z.enum(voteDecisions).describe('Decision of the vote.'),
    amountBaseUnits: AmountText.describe('Voting power, in base units.'),
    replaces: z.string().nullable().describe('Vote of the same wallet that it replaces. `null` for the first vote.'),
  }),
  VOTE_REVOKED: vote,
  VOTES_CONFIRMED: votes,
  VOTES_ROLLED_BACK: votes,
  EXECUTION_FROZEN: cosignedExecution,
  EXECUTION_VOIDED: execution.extend({ cause }),
  EXECUTION_SENT: cosignedExecution,
  EXECUTION_CONFIRMED: executionOnLedger,
  EXECUTION_ROLLED_BACK: executionOnLedger,
  EXECUTION_FAILED: executionOnLedger,
  EXECUTION_LANDED_LATE: executionOnLedger,
};

const handedAssets = z.looseObject({
  assets: z.array(
    z.looseObject({
      assetId: z.uuid().describe('ID of the asset.'),
      address: z.string().describe('Address of the recipient.'),
    }),
  ),
});
const claims = z.looseObject({
  potLovelace: AmountText.describe('Lovelace that holders share.'),
  circulatingFtBaseUnits: AmountText.describe('Tokens that share it, in base units.'),
  claimDeadline: Timestamp.describe('Claim deadline.'),
});
const rotation = z.looseObject({ rotationId: z.uuid().describe('ID of the rotation.') });
const custodyAddress = z.string().describe('Address of the new custody.');

/** What events of the end of a vault, and of a new custody, say. */
const terminationEventData = {
  TERMINATION_BEGUN: z.looseObject({ reason: TerminationReasonEnum }),
  TERMINATION_TAKEN_BACK: none,
  CLAIMS_WITHDRAWN: none,
  CLAIMS_OPENED: claims,
  CLAIMS_CHANGED: claims.extend({
    endedBecause: z
      .enum(terminationEnds)
      .nullable()
      .describe(
        'Reason why the claims ended. `null` while holders can claim. A vault that names nobody for its ADA still pays claims afterwards.',
      ),
  }),
  ASSETS_HANDED_OVER: handedAssets,
  ASSETS_HAND_OVER_ROLLED_BACK: handedAssets,
  ROTATION_ANNOUNCED: rotation.extend({
    reason: z.string().describe('Reason given by the operator.'),
    compromised: z.boolean().describe('Whether it begins at once because a key is compromised.'),
    startsAt: Timestamp.describe('Start of the rotation.'),
    contractAddress: custodyAddress,
  }),
  ROTATION_CANCELLED: rotation,
  ROTATION_BEGUN: rotation,
  CUSTODY_CHANGED: rotation.extend({
    from: z.string().describe('Address of the former custody.'),
    to: custodyAddress,
  }),
  ROTATION_FINISHED: rotation.extend({ contractAddress: custodyAddress }),
  ROTATION_REOPENED: rotation,
};

/** The data of each type of event. */
export const eventData = {
  ...vaultEventData,
  ...terminationEventData,
  ...depositEventData,
  ...governanceEventData,
} as const satisfies Readonly<Record<EventType, z.ZodObject>>;
