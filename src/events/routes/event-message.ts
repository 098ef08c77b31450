import { z } from 'zod';
import { type EventType, eventTypes } from '../queries/event-types.ts';
import { eventData } from './event-data.ts';
import { Timestamp } from '../../platform/http/fields.ts';

const rolledBack = 'left the ledger in a rollback; it may land again';

/** What has happened when an event of a type comes. */
const eventMeanings: Readonly<Record<EventType, string>> = {
  VAULT_CREATED: 'The vault was created; its transaction may be in no block yet',
  VAULT_CREATION_ROLLED_BACK: `The transaction that created the vault ${rolledBack}`,
  VAULT_STATUS_CHANGED:
    'The vault has another status; LOCKED when it is settled and its tokens are delivered. A rollback sets LOCKED back to ACTIVE with an event of this type; LOCKED then comes again',
  VAULT_FAILED: 'The vault does not settle, and its deposits are returned',
  WINDOW_STATUS_CHANGED: 'The asset window or the investment window opened or closed',
  VAULT_HELD: 'The vault waits for something outside of it',
  VAULT_RELEASED: 'A reason to wait is gone',
  VAULT_CANCEL_REQUESTED: 'The vault will end, and its deposits will be returned',
  VAULT_ALLOW_LIST_CHANGED: 'A list of who may take part has changed',
  VAULT_SETTINGS_CHANGED: 'Settings of the vault have changed',
  VAULT_DELETED: 'The vault was deleted',
  VALUATION_CHANGED: 'The assets of the vault have another value',
  ASSET_ADD_STARTED: 'A deposit of an asset waits for the signature of its owner',
  ASSET_ADDED: 'The asset is in the vault: its transaction is in a block',
  ASSET_ADD_ROLLED_BACK: `The transaction that added the asset ${rolledBack}`,
  ASSET_ADD_EXPIRED:
    'The deposit of the asset is given up: it did not land in time, the ledger refused it, another attempt took its place, or the same NFT is in a vault already. Should it land after all, ASSET_ADDED comes',
  ASSET_PRICED:
    'The asset counts with another price than before: the service has read it when the asset was deposited, or when the asset window closed',
  ASSET_REMOVE_STARTED: 'The return of an asset to its owner has begun',
  ASSET_REMOVED: 'The asset is with its owner again',
  ASSET_REMOVE_ROLLED_BACK: `The transaction that returned the asset ${rolledBack}`,
  ASSET_REMOVE_EXPIRED: 'The return of the asset is given up: it did not land in time, so it stays in the vault',
  DUPLICATE_RETURN_STARTED: 'What was deposited twice, or in a full vault, goes back',
  INVESTMENT_STARTED: 'An investment waits for the signature of its investor',
  INVESTMENT_MADE: 'The investment is in the vault: its transaction is in a block',
  INVESTMENT_ROLLED_BACK: `The transaction of the investment ${rolledBack}`,
  INVESTMENT_EXPIRED: 'The investment is given up: it did not land in time',
  INVESTMENT_REMOVE_STARTED: 'The return of an investment has begun',
  INVESTMENT_REMOVED: 'The investment is with its investor again',
  INVESTMENT_REMOVE_ROLLED_BACK: `The transaction that returned the investment ${rolledBack}`,
  INVESTMENT_REMOVE_EXPIRED:
    'The return of the investment is given up: it did not land in time, so it stays in the vault',
  STAKE_STARTED: 'A stake waits for the signature of its owner',
  STAKE_CONFIRMED: 'The stake is in a block; it has no power yet',
  STAKE_FINAL: 'The stake has power in votes that open from now on',
  STAKE_ROLLED_BACK: `The transaction of the stake ${rolledBack}`,
  STAKE_EXPIRED: 'The stake is given up: it did not land in time',
  STAKE_RETURN_STARTED: 'The return of a stake to its owner has begun',
  STAKE_RELEASED: 'The stake is with its owner again',
  STAKE_RECLAIMED: 'The owner took the stake back without the vault',
  STAKE_RETURN_ROLLED_BACK: `The transaction that returned the stake ${rolledBack}`,
  STAKE_RETURN_EXPIRED: 'The return of the stake is given up: it did not land in time',
  STAKE_UNLOCKED: 'No unfinished proposal uses the stake any more: it can be returned',
  CLAIM_STARTED: 'A claim waits for the signature of the holder',
  CLAIM_CONFIRMED: 'The claim is in a block: the tokens are in the pot, and the holder is paid',
  CLAIM_ROLLED_BACK: `The transaction of the claim ${rolledBack}`,
  CLAIM_EXPIRED:
    'The claim is given up: it did not land, or the holder has claimed anew; the tokens are still with the holder',
  TRANSACTION_SIGNED: 'A wallet has signed a transaction',
  TRANSACTION_WITHDRAWN: 'A transaction takes no more signatures; it may still land if a wallet has submitted it',
  TRANSACTION_STATUS_CHANGED: 'A transaction has another status; `confirmed` when it is in a block',
  TRANSACTION_REFUSED:
    'The ledger refuses a transaction that may still land, for another reason than before, or accepts it after all',
  TRANSACTION_ROLLED_BACK: `A transaction ${rolledBack}`,
  PROPOSAL_CREATED: 'A proposal was made; its `status` is ACTIVE if its vote is open at once',
  PROPOSAL_ENDORSED: 'A wallet has endorsed the proposal',
  PROPOSAL_STATUS_CHANGED:
    'The proposal has another status, or another reason: ACTIVE when its vote opens later, PASSED or FAILED when it has a result, EXECUTED, and PASSED again when its execution fails or is rolled back. The lock phase ends without an event: set a timer to the start of `executionPhase`, by the clock of the service (`metadata.timestamp`)',
  VOTE_CAST: 'A wallet has voted',
  VOTE_REVOKED: 'A wallet has taken its vote back',
  VOTES_CONFIRMED: 'Votes are anchored in a block',
  VOTES_ROLLED_BACK: 'The anchor of votes left the ledger in a rollback; the votes count all the same',
  EXECUTION_FROZEN: 'A transaction that executes the proposal waits for signatures',
  EXECUTION_VOIDED: 'The frozen transaction can no longer be signed',
  EXECUTION_SENT: 'The execution has the signatures that it needs and is going to be submitted',
  EXECUTION_CONFIRMED: 'The execution is in a block',
  EXECUTION_ROLLED_BACK: `The execution ${rolledBack}`,
  EXECUTION_FAILED: 'The execution is given up; should it land after all, an event says so',
  EXECUTION_LANDED_LATE: 'The execution landed although its proposal had failed or was executed by another one',
  SETTLEMENT_PLANNED: 'What each deposit receives is fixed',
  SETTLEMENT_REVISED: 'The plan counts without investments that their owners took back',
  DEPOSITS_DELIVERED: 'Tokens and ADA were paid to the owners of deposits',
  DEPOSITS_DELIVERY_ROLLED_BACK: `The transaction of a delivery ${rolledBack}`,
  DEPOSITS_REFUNDED: 'Deposits were returned to their owners',
  DEPOSITS_REFUND_ROLLED_BACK: `The transaction of a refund ${rolledBack}`,
  DEPOSIT_RECLAIMED: 'The owner took a deposit back without the platform',
  DEPOSIT_RECLAIM_ROLLED_BACK: 'The reclaim of a deposit left the ledger in a rollback',
  TERMINATION_BEGUN: 'The end of the settled vault is certain',
  TERMINATION_TAKEN_BACK:
    'The vault does not end: the proposal that had decided it left the ledger in a rollback and can no longer land',
  CLAIMS_OPENED: 'Holders can return tokens for their share of what the vault had',
  CLAIMS_CHANGED:
    'What holders share, or until when they can claim, has changed without a claim: a sale, a hand-over, a lost claim or the payment of what was left has moved it, or the claims are over or go on. A claim takes its own tokens and payout out of the pot, as `CLAIM_CONFIRMED` says',
  CLAIMS_WITHDRAWN:
    'Nobody can claim for the time being: a rollback has undone for good what had gathered the pot. `CLAIMS_OPENED` comes again',
  ASSETS_HANDED_OVER: 'Assets are with the wallets that were named for them',
  ASSETS_HAND_OVER_ROLLED_BACK: `The transaction that handed assets over ${rolledBack}`,
  ROTATION_ANNOUNCED: 'The vault is going to have another key, other cosigners, or both, and what it has will move',
  ROTATION_CANCELLED: 'The vault keeps its key and its cosigners',
  ROTATION_BEGUN: 'Nothing is executed, and the end of the vault waits, until the rotation is finished',
  CUSTODY_CHANGED: 'The vault has another custody address; what it has moves there',
  ROTATION_FINISHED: 'Everything that the vault has is in its new custody',
  ROTATION_REOPENED: 'Something came back to a former custody, as after a rollback, and moves again',
};

const fields = {
  seq: z.int().describe('Number of the event: all events of the service have one, without a gap'),
  id: z.uuid().describe('Unique'),
  vaultId: z.uuid().nullable().describe('The vault in which it happened; null for none'),
  actor: z.string().describe('Address of the wallet that acted, or `platform`'),
  transactionHash: z.string().nullable().describe('The transaction that it belongs to; null if there is none'),
  occurredAt: Timestamp.describe('When it was recorded, by the clock of the service'),
  correlationId: z.string().describe('Of the request, or of the workflow, that caused it'),
};

/** The schema of events of each type. */
export const eventSchemas: readonly [EventType, z.ZodObject][] = eventTypes.map((type) => [
  type,
  z
    .object({ ...fields, type: z.literal(type).describe('What has happened'), data: eventData[type] })
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
