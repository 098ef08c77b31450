import { z } from 'zod';
import { type EventType, eventTypes } from '../queries/event-types.ts';
import { eventData } from './event-data.ts';
import { Timestamp } from '../../platform/http/fields.ts';

const rolledBack = 'left the ledger in a rollback. It may reach a block again.';

/** What has happened when an event of a type comes. */
const eventMeanings: Readonly<Record<EventType, string>> = {
  VAULT_CREATED: 'The vault was created. Its transaction may not be in a block yet.',
  VAULT_CREATION_ROLLED_BACK: `The transaction that created the vault ${rolledBack}`,
  VAULT_STATUS_CHANGED:
    'The vault has another status. LOCKED means that it has settled and its tokens are delivered. If a rollback ' +
    'undoes that, an event with ACTIVE follows, and later LOCKED again.',
  VAULT_FAILED: 'The vault does not settle. Its deposits are returned.',
  WINDOW_STATUS_CHANGED: 'The asset window or the investment window opened or closed',
  VAULT_HELD: 'The vault waits for something outside of it',
  VAULT_RELEASED: 'A reason to wait no longer applies',
  VAULT_CANCEL_REQUESTED: 'The vault will end, and its deposits will be returned',
  VAULT_ALLOW_LIST_CHANGED: 'An allow-list of the vault has changed',
  VAULT_SETTINGS_CHANGED: 'Settings of the vault have changed',
  VAULT_DELETED: 'The vault was deleted',
  VALUATION_CHANGED: "The value of the vault's assets has changed",
  ASSET_ADD_STARTED: 'A deposit of an asset waits for the signature of its owner',
  ASSET_ADDED: 'The asset is in the vault: its transaction is in a block',
  ASSET_ADD_ROLLED_BACK: `The transaction that added the asset ${rolledBack}`,
  ASSET_ADD_EXPIRED:
    'The deposit of the asset was given up: it did not reach a block in time, the ledger rejected it, or another ' +
    'deposit replaced it. If it reaches a block later, ASSET_ADDED follows.',
  ASSET_PRICED:
    'The price of the asset changed. The service read it when the asset was deposited, or when the asset window closed.',
  ASSET_REMOVE_STARTED: 'The return of an asset to its owner has begun',
  ASSET_REMOVED: 'The asset was returned to its owner',
  ASSET_REMOVE_ROLLED_BACK: `The transaction that returned the asset ${rolledBack}`,
  ASSET_REMOVE_EXPIRED:
    'The return of the asset was given up. It did not reach a block in time, so the asset stays in the vault.',
  DUPLICATE_RETURN_STARTED: 'The return of a deposit has begun. The asset was deposited twice, or the vault was full.',
  INVESTMENT_STARTED: 'An investment waits for the signature of its investor',
  INVESTMENT_MADE: 'The investment is in the vault: its transaction is in a block',
  INVESTMENT_ROLLED_BACK: `The transaction of the investment ${rolledBack}`,
  INVESTMENT_EXPIRED: 'The investment was given up, because it did not reach a block in time',
  INVESTMENT_REMOVE_STARTED: 'The return of an investment has begun',
  INVESTMENT_REMOVED: 'The investment was returned to its investor',
  INVESTMENT_REMOVE_ROLLED_BACK: `The transaction that returned the investment ${rolledBack}`,
  INVESTMENT_REMOVE_EXPIRED:
    'The return of the investment was given up. It did not reach a block in time, so the investment stays in the vault.',
  STAKE_STARTED: 'A stake waits for the signature of its owner',
  STAKE_CONFIRMED: 'The stake is in a block. It has no voting power yet.',
  STAKE_FINAL: 'The stake has voting power in votes that open from now on',
  STAKE_ROLLED_BACK: `The transaction of the stake ${rolledBack}`,
  STAKE_EXPIRED: 'The stake was given up, because it did not reach a block in time',
  STAKE_RETURN_STARTED: 'The return of a stake to its owner has begun',
  STAKE_RELEASED: 'The stake was returned to its owner',
  STAKE_RECLAIMED: 'The owner took the stake back without the vault',
  STAKE_RETURN_ROLLED_BACK: `The transaction that returned the stake ${rolledBack}`,
  STAKE_RETURN_EXPIRED: 'The return of the stake was given up, because it did not reach a block in time',
  STAKE_UNLOCKED: 'No unfinished proposal uses the stake any longer. It can be returned.',
  CLAIM_STARTED: 'A claim waits for the signature of the holder',
  CLAIM_CONFIRMED: 'The claim is in a block. The tokens are in the pot, and the holder is paid.',
  CLAIM_ROLLED_BACK: `The transaction of the claim ${rolledBack}`,
  CLAIM_EXPIRED:
    'The claim was given up: it did not reach a block in time, or a newer claim replaced it. The holder still has the tokens.',
  TRANSACTION_SIGNED: 'A wallet has signed a transaction',
  TRANSACTION_WITHDRAWN:
    'The transaction does not accept signatures any longer. It may still reach a block if a wallet has submitted it.',
  TRANSACTION_STATUS_CHANGED: 'The transaction has another status. `confirmed` means that it is in a block.',
  TRANSACTION_REFUSED:
    'The ledger rejects a transaction that may still reach a block, gives another reason, or accepts it after all',
  TRANSACTION_ROLLED_BACK: `A transaction ${rolledBack}`,
  PROPOSAL_CREATED: 'A proposal was created. Its `status` is ACTIVE if its vote opened at once.',
  PROPOSAL_ENDORSED: 'A wallet has endorsed the proposal',
  PROPOSAL_STATUS_CHANGED:
    'The proposal has another status or reason. ACTIVE: its vote opened. PASSED or FAILED: it has a result. ' +
    'PASSED again: its execution failed or was rolled back. The lock phase ends without an event. Set a timer to ' +
    'the start of `executionPhase`, by the clock of the service (`metadata.timestamp`).',
  VOTE_CAST: 'A wallet has voted',
  VOTE_REVOKED: 'A wallet has revoked its vote',
  VOTES_CONFIRMED: 'Votes are anchored in a block',
  VOTES_ROLLED_BACK: 'The anchor of votes left the ledger in a rollback. The votes still count.',
  EXECUTION_FROZEN: 'A transaction that executes the proposal waits for signatures',
  EXECUTION_VOIDED: 'The frozen transaction can no longer be signed',
  EXECUTION_SENT: 'The execution has enough signatures and is being submitted',
  EXECUTION_CONFIRMED: 'The execution is in a block',
  EXECUTION_ROLLED_BACK: `The execution ${rolledBack}`,
  EXECUTION_FAILED: 'The execution was given up. If it reaches a block later, an event follows.',
  EXECUTION_LANDED_LATE:
    'The execution reached a block after its proposal had failed or another execution had replaced it',
  SETTLEMENT_PLANNED: 'The payout of each deposit is fixed',
  SETTLEMENT_REVISED: 'The plan no longer counts investments that their owners took back',
  DEPOSITS_DELIVERED: 'Tokens and ADA were paid to the owners of deposits',
  DEPOSITS_DELIVERY_ROLLED_BACK: `The transaction of a delivery ${rolledBack}`,
  DEPOSITS_REFUNDED: 'Deposits were returned to their owners',
  DEPOSITS_REFUND_ROLLED_BACK: `The transaction of a refund ${rolledBack}`,
  DEPOSIT_RECLAIMED: 'The owner took a deposit back without the platform',
  DEPOSIT_RECLAIM_ROLLED_BACK: 'The transaction that took the deposit back left the ledger in a rollback',
  TERMINATION_BEGUN: 'The end of the settled vault is certain',
  TERMINATION_TAKEN_BACK:
    'The vault does not end. The proposal that decided it left the ledger in a rollback and can no longer reach a block.',
  CLAIMS_OPENED: "Holders can exchange tokens for a share of the vault's ADA",
  CLAIMS_CHANGED:
    'The pot, the circulating tokens, or the claim deadline has changed without a claim. Examples are a sale, a ' +
    'rollback, and the end of the claims. A claim itself changes the pot as CLAIM_CONFIRMED says.',
  CLAIMS_WITHDRAWN:
    'Claims are suspended, because a rollback has undone the gathering of the pot. `CLAIMS_OPENED` follows again.',
  ASSETS_HANDED_OVER: 'Assets were handed over to the wallets that were named for them',
  ASSETS_HAND_OVER_ROLLED_BACK: `The transaction that handed assets over ${rolledBack}`,
  ROTATION_ANNOUNCED: 'The vault will get another key, other cosigners, or both. Its assets and ADA will move.',
  ROTATION_CANCELLED: 'The vault keeps its key and its cosigners',
  ROTATION_BEGUN: 'The rotation has begun. Until it has finished, nothing is executed, and the end of the vault waits.',
  CUSTODY_CHANGED: 'The vault has another custody address. Its assets and ADA are moving there.',
  ROTATION_FINISHED: 'All assets and ADA of the vault are in its new custody',
  ROTATION_REOPENED: 'An output returned to a former custody, for example after a rollback, and is moving again',
};

const fields = {
  seq: z.int().describe('Number of the event. All events of the service have one, without gaps.'),
  id: z.uuid().describe('Unique ID.'),
  vaultId: z.uuid().nullable().describe('Vault of the event, otherwise `null`.'),
  actor: z.string().describe('Address of the wallet that acted, or `platform`.'),
  transactionHash: z.string().nullable().describe('Transaction of the event, otherwise `null`.'),
  occurredAt: Timestamp.describe('Time at which it was recorded, by the clock of the service.'),
  correlationId: z.string().describe('Correlation ID of the request or workflow that caused it.'),
};

/** The schema of events of each type. */
export const eventSchemas: readonly [EventType, z.ZodObject][] = eventTypes.map((type) => [
  type,
  z
    .object({ ...fields, type: z.literal(type).describe('Type of the event.'), data: eventData[type] })
    .meta({ id: `${titleOf(type)}Event`, description: eventMeanings[type] }),
]);

/** An event of any type, in every transport. */
export const EventMessage = z
  .discriminatedUnion('type', eventSchemas.map(([, schema]) => schema) as [z.ZodObject, ...z.ZodObject[]])
  .meta({ id: 'Event' });

function titleOf(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
