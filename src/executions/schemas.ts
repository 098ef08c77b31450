import { z } from 'zod';
import { actingWalletOf } from '../access/acting-wallet.ts';
import type { ApiContext } from '../api-context.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { ExecutionParams, ExecutionInput } from './plan-execution.ts';
import type { ExecutionView } from './queries.ts';
import { signersOf } from './rules/cosigners.ts';
import { executionStatuses } from './rules/execution.ts';
import type { ErrorCode } from '../platform/error-registry.ts';
import { enumSchema, AddressText, AssetNameText, PolicyText, Timestamp } from '../platform/http/fields.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import { ActionType, parseEffect, Terms } from '../proposals/routes/request.ts';
import { executionEffectFields } from '../proposals/rules/effects.ts';
import { FinalityEnum } from '../transactions/routes/enums.ts';
import { exampleWallet as proposer, contributor, cosigner, investor } from '../transactions/routes/examples.ts';
import { presentMultiSignature, MultiSignature, Confirmations } from '../transactions/routes/resource.ts';
import { presentRecorded, OperationTransaction } from '../transactions/routes/response.ts';
import { confirmationOf } from '../transactions/rules.ts';

const ExecutionStatusEnum = enumSchema('ExecutionStatus', executionStatuses, {
  FROZEN: 'the transaction collects signatures',
  SENT: 'the transaction has been submitted to the ledger',
  EXECUTED: 'the transaction is in a block',
  VOIDED: 'ended before it was submitted. `reason` says why.',
  FAILED: 'the transaction can no longer reach a block. `reason` says why.',
});

const Details = Terms.extend({
  policy_id: PolicyText.optional(),
  asset_name: AssetNameText.optional(),
  affected_assets: z
    .array(z.strictObject({ policy_id: PolicyText, asset_name: AssetNameText }))
    .max(100)
    .describe('Assets, if the action concerns several.')
    .optional(),
  quantity: Terms.shape.quantity.unwrap().describe('buy_asset: base units. Default: as the vote fixed it.').optional(),
  direction: Terms.shape.direction
    .unwrap()
    .describe('stake_asset: direction. Default: as the vote fixed it.')
    .optional(),
  staking_address: AddressText.describe('stake_asset: direction. Default: as the vote fixed it.').optional(),
});

/** Body of POST /proposals/{proposalId}/execute and /executions. `details` has the fields of the spec and the other terms of D27. */
export const ExecuteProposal = z
  .strictObject({
    executing_user: AddressText.describe(
      'Wallet that executes. It is also the buyer of a sale or the seller of a purchase, if neither the vote nor the action names one.',
    ),
    cosigners: z.array(AddressText).max(20).describe('Eligible wallets, at least as many as the proposal requires.'),
    required_cosigners: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe(
        'Number of `cosigners` that must sign. Default: the number of the frozen transaction, or of the ' +
          'proposal. Not less than the proposal requires.',
      ),
    action: z.strictObject({ type: ActionType, details: Details.default({}) }),
  })
  .meta({ id: 'ExecuteProposal' });

export type ExecutionRequest = z.output<typeof ExecuteProposal>;

/** Parses the body of an execution. */
export function parseExecution(request: ExecutionRequest, networkId: NetworkId): ExecutionParams {
  const { action, cosigners, required_cosigners: requiredCosigners } = request;
  const { policy_id: policyId, asset_name: name, affected_assets: listed = [], ...terms } = action.details;
  const single = policyId === undefined || name === undefined ? [] : [{ policy_id: policyId, asset_name: name }];
  const affected_assets = [...single, ...listed].map((asset) => ({
    ...asset,
    policy_id: asset.policy_id.toLowerCase(),
  }));
  const body = { action_type: action.type, affected_assets, terms };
  return { cosigners, requiredCosigners, action, effect: parseEffect(body, networkId, executionEffectFields) };
}

type Source = Pick<ExecutionInput, 'proposalId' | 'caller' | 'correlationId'>;

/** The input of a request to freeze or execute. */
export async function executionInput(
  context: ApiContext,
  source: Source,
  request: ExecutionRequest,
): Promise<ExecutionInput> {
  const executor = await actingWalletOf(context, source.caller, request.executing_user, 'executing_user');
  return { ...source, params: parseExecution(request, context.networkId), executor };
}

const buyer = 'addr_test1vquugaucgmgw90gvxwfs4h6r5ql4fa7txfj2fwdgtwps37qcy8zv8';
const exampleCosigner = 'addr_test1vq3safrfvu8nn4mupkmwf8y5esgsu8lfdemwf4sm963h0ns592j3j';
const asset = { policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456', asset_name: 'HarbourLoft001' };

/** The executions of the sale and of the liquidation. */
export const executionExamples: Readonly<Record<string, z.input<typeof ExecuteProposal>>> = {
  sale: {
    executing_user: proposer,
    cosigners: [exampleCosigner],
    action: { type: 'sell_asset', details: { ...asset, price: '250000000', buyer_address: buyer } },
  },
  liquidation: {
    executing_user: proposer,
    cosigners: [exampleCosigner],
    action: { type: 'liquidate', details: { remaining_assets_to: proposer } },
  },
};

/** The errors that freezing and executing share. */
export const executionErrors = [
  'PROPOSAL_NOT_FOUND',
  'EXECUTION_NOT_OPEN',
  'EXECUTION_CLOSED',
  'EXECUTION_UNDER_WAY',
  'VAULT_ALREADY_ENDED',
  'VAULT_NOT_LOCKED',
  'EXECUTOR_NOT_ELIGIBLE',
  'COSIGNER_NOT_ELIGIBLE',
  'PARTNER_REFUSED',
  'INSUFFICIENT_PERMISSIONS',
  'ACTION_DIFFERS_FROM_APPROVED',
  'PRICE_BELOW_VALUATION',
  'PRICE_ABOVE_VALUATION',
  'ASSET_NOT_IN_VAULT',
  'ASSET_NO_LONGER_HELD',
  'ASSET_NOT_STAKED',
  'STAKING_ADDRESS_NOT_LISTED',
  'ASSET_IS_VAULT_TOKEN',
  'ASSET_IS_REFERENCE_TOKEN',
  'ASSET_NOT_WHITELISTED',
  'ASSET_TYPE_NOT_ALLOWED',
  'INVALID_QUANTITY',
  'MAX_ASSETS_REACHED',
  'ASSET_ALREADY_IN_VAULT',
  'CUSTODY_ROTATING',
  'CUSTODY_IN_USE',
  'ASSET_NOT_IN_WALLET',
  'INSUFFICIENT_FUNDS',
  'INVALID_ASSET_NAME',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'PRICE_UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
  'SERVICE_NOT_READY',
] as const satisfies readonly ErrorCode[];

const { assets, terms } = executionEffectFields;

/** The fields that these errors are about. */
export const executionErrorFields = {
  EXECUTOR_NOT_ELIGIBLE: 'executing_user',
  PRICE_BELOW_VALUATION: `${terms}.price`,
  PRICE_ABOVE_VALUATION: `${terms}.price`,
  STAKING_ADDRESS_NOT_LISTED: `${terms}.staking_address`,
  ASSET_NO_LONGER_HELD: assets,
  ASSET_NOT_STAKED: assets,
  ASSET_IS_VAULT_TOKEN: assets,
  ASSET_IS_REFERENCE_TOKEN: assets,
  ASSET_NOT_WHITELISTED: assets,
  ASSET_TYPE_NOT_ALLOWED: assets,
  ASSET_ALREADY_IN_VAULT: assets,
  ASSET_NOT_IN_WALLET: assets,
  PRICE_UNAVAILABLE: assets,
  INSUFFICIENT_FUNDS: terms,
  INSUFFICIENT_SIGNATURES: 'cosigners',
} as const satisfies Partial<Record<ErrorCode, string>>;

export function presentExecution({ execution, transaction, tip }: ExecutionView): z.input<typeof ExecutionResource> {
  return {
    id: execution.id,
    proposalId: execution.proposalId,
    status: execution.status,
    reason: execution.reason,
    frozenBy: execution.frozenBy,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.map(({ wallet }) => wallet),
    requiredCosigners: execution.requiredCosigners,
    partner: execution.partner?.wallet ?? null,
    action: execution.action,
    transaction: presentRecorded(transaction),
    ...confirmationOf(transaction, tip),
    multiSignature: presentMultiSignature(transaction, signersOf(execution)),
    createdAt: isoText(execution.createdAt),
    executedAt: textOrNull(execution.executedAt),
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}

// Recorded on a development stack.

const executionExample = {
  id: '01a1ffac-9423-715e-a82b-eef7d0d4d2fb',
  proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  status: 'FROZEN',
  reason: null,
  frozenBy: investor,
  executedBy: null,
  cosigners: [contributor, cosigner],
  requiredCosigners: 2,
  partner: investor,
  action: {
    type: 'sell_asset',
    details: {
      price: 260000000,
      policy_id: '7cd008e80052b1c34e30100f278b0b6b280a051078d9e007b64592fc',
      asset_name: 'HarbourLoft001',
    },
  },
  transaction: {
    hash: 'f790848b0ea13dda265b695081fc90cbf40da5d033bc87019ce6454e7fdab73a',
    status: 'awaiting_signatures',
    blockHeight: null,
    expiresAt: '2026-11-29T19:55:18.000Z',
    requiredSigners: [
      '7c1f0e5bd3a86c2499f1f3d2b6e0a4c85d7be2f193640ab8175ce09d',
      '28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc',
      '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
      '5e0e57040b06e9d71e0f28f126262838a68db0b52b4fd1b3877dda22',
    ],
    unsignedTx: '84a500d9010282825820bc4e…',
  },
  confirmations: 0,
  finality: 'none',
  multiSignature: {
    hash: 'f790848b0ea13dda265b695081fc90cbf40da5d033bc87019ce6454e7fdab73a',
    signatures: [],
    signers: [],
    threshold: 3,
    required: 3,
    present: 0,
    missing: 3,
    keys: [
      {
        keyHash: '7c1f0e5bd3a86c2499f1f3d2b6e0a4c85d7be2f193640ab8175ce09d',
        wallet: null,
        isPlatform: true,
        isRequired: true,
        hasSigned: false,
      },
      {
        keyHash: '28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc',
        wallet: investor,
        isPlatform: false,
        isRequired: true,
        hasSigned: false,
      },
      {
        keyHash: '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
        wallet: contributor,
        isPlatform: false,
        isRequired: true,
        hasSigned: false,
      },
      {
        keyHash: '5e0e57040b06e9d71e0f28f126262838a68db0b52b4fd1b3877dda22',
        wallet: cosigner,
        isPlatform: false,
        isRequired: true,
        hasSigned: false,
      },
    ],
  },
  createdAt: '2026-11-27T19:55:21.784Z',
  executedAt: null,
};

/** An execution of a proposal: its frozen transaction and the signatures so far. `multiSignature` is that of the transaction. */
export const ExecutionResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    status: ExecutionStatusEnum,
    reason: z
      .string()
      .nullable()
      .describe(
        'VOIDED: replaced, expired or execution_window_elapsed. FAILED: the reason of the ledger, as text. Otherwise `null`.',
      ),
    frozenBy: z.string().describe('Wallet that froze it.'),
    executedBy: z.string().nullable().describe('Wallet that submitted it, otherwise `null`.'),
    cosigners: z.array(z.string()).describe('Wallets named to cosign.'),
    requiredCosigners: z.int().describe('Number of `cosigners` that must sign.'),
    partner: z.string().nullable().describe('Buyer, seller or holder, who must also sign. `null` if there is none.'),
    action: z
      .object({
        type: z.string(),
        details: z.record(z.string(), z.unknown()).describe('Action, with the field names and units of the request.'),
      })
      .describe('Action as requested when it was frozen.'),
    transaction: OperationTransaction,
    confirmations: Confirmations.describe('Number of confirmations of `transaction`. 1: it is in the latest block.'),
    finality: FinalityEnum.describe('Certainty that `transaction` stays on the ledger.'),
    multiSignature: MultiSignature,
    createdAt: Timestamp,
    executedAt: Timestamp.nullable().describe('Time of its block. `null` while it is in no block.'),
  })
  .meta({ id: 'Execution', examples: [executionExample] });

// Recorded on a development stack.

export const cosignerExample = {
  keyHash: '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
  wallet: contributor,
  staked: 271428.571429,
  stakedBaseUnits: '271428571429',
};
