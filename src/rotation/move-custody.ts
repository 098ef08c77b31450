import { policyOf } from '../assets/rules/asset.ts';
import { buildCustodyMove } from '../cardano/build/custody.ts';
import { type OwnGuard, ownGuards } from '../cardano/scripts/own-guards.ts';
import { liquidityAddressOf, custodyAddressOf } from '../cardano/scripts/script-addresses.ts';
import { referenceDatum, referenceUnit, tokenNameHex } from '../cardano/tokens/fractional-token.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { heldAt } from '../ledger-follower/record-blocks.ts';
import type { Transaction } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { Prepared, RotationStage } from '../platform/temporal/activity-types.ts';
import { vaultWorkflowId, rotationWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { signalTransactionChanged, enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { type Instant, secondsAfter } from '../platform/units/time.ts';
import { voidFrozenExecution } from '../proposals/cancel-proposal.ts';
import { headOfProposal, proposalRows } from '../proposals/queries/proposals.ts';
import { liveProposalIds } from '../proposals/queries/viewed-proposals.ts';
import { custodyRefusal } from './announce-rotation.ts';
import {
  setRotationBegun,
  setRotationCancelled,
  getRotation,
  changeCustody,
  countRotations,
  setRotationFinished,
  reopenRotation,
  lastFinishedRotation,
} from './queries.ts';
import { type Rotation, moveKinds, toCustodyKinds } from './rules.ts';
import { ftDescription } from '../settlement/plan-settlement.ts';
import { ownOutputs, vaultSpendableUtxos } from '../settlement/queries/outputs.ts';
import { prepareStep, type VaultActivityInput } from '../termination/termination-transactions.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { vaultTransactions, isAnySent } from '../transactions/queries/listed-transactions.ts';
import { isOnLedger, isOpen, refText } from '../transactions/rules.ts';
import { keyIndexesOf, lockVaultRow, getVault, type Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Begins an announced rotation, once: from then on no execution of the vault is frozen or sent, and its end waits. One whose vault
 * ends is cancelled; a vault that a rollback has unlocked is waited for.
 */
function beginRotation(
  { unitOfWork }: Pick<WorkerContext, 'unitOfWork'>,
  { id, vaultId }: Pick<Rotation, 'id' | 'vaultId'>,
  now: Instant,
): Promise<'begun' | 'cancelled' | 'not_settled'> {
  return unitOfWork(async (work) => {
    const context = { ...work, now };
    await lockExclusive(context.tx, `custody:${vaultId}`);
    const { status, failedBecause } = await lockVaultRow(context.tx, vaultId);
    const rotation = await getRotation(context.tx, id);
    const source = { ...platformEventFields(vaultId), transactionHash: null, data: { rotationId: id } };
    if (rotation.cancelledAt !== null) return 'cancelled';
    if (rotation.begunAt !== null) return 'begun';
    if (failedBecause !== null || status === 'TERMINATED') {
      await setRotationCancelled(context, rotation);
      await publish(context, { event: { type: 'ROTATION_CANCELLED', ...source } });
      return 'cancelled';
    }
    if (status !== 'LOCKED') return 'not_settled';
    await setRotationBegun(context, rotation);
    await publish(context, { event: { type: 'ROTATION_BEGUN', ...source } });
    return 'begun';
  });
}

/** How long a vault that a rollback has unlocked is left alone. */
const UNLOCKED_SECONDS = 60;

/**
 * Takes the steps of a rotation that need no transaction, and returns the step that it is in. What is done is read from Postgres and the
 * ledger each time, so it can be repeated after a crash or a rollback.
 */
export async function advanceRotation(
  context: WorkerContext,
  { rotationId, now }: { readonly rotationId: string; readonly now: Instant },
): Promise<RotationStage> {
  const rotation = await getRotation(context.db, rotationId);
  return { prepares: false, until: null, ...(await stageOf(context, rotation, now)) };
}

type Stage = Pick<RotationStage, 'step'> & Partial<RotationStage>;

async function stageOf(context: WorkerContext, rotation: Rotation, now: Instant): Promise<Stage> {
  if (rotation.finishedAt !== null) return { step: 'finished' };
  if (rotation.cancelledAt !== null) return { step: 'cancelled' };
  if (rotation.begunAt === null) {
    if (now < rotation.startsAt) return { step: 'notice', until: rotation.startsAt };
    const begun = await beginRotation(context, rotation, now);
    if (begun === 'cancelled') return { step: 'cancelled' };
    if (begun === 'not_settled') return { step: 'notice', until: secondsAfter(now, UNLOCKED_SECONDS) };
  }
  if (rotation.changedAt === null && !(await changeVaultCustody(context, rotation, now)))
    return { step: 'end_executions' };
  return stageOfMoves(context, rotation, now);
}

/** Outputs are moved until none is left and all that moved them is final. */
async function stageOfMoves(context: WorkerContext, rotation: Rotation, now: Instant): Promise<Stage> {
  const moves = await vaultTransactions(context.db, rotation.vaultId, moveKinds);
  const open = moves.filter(({ state }) => isOpen(state));
  const prepares = open.some(({ state }) => !isOnLedger(state)) || (await isAnythingToMove(context, rotation.vaultId));
  if (prepares || open.length > 0) return { step: 'move_outputs', prepares };
  await finishRotation(context, rotation, now);
  return { step: 'finished' };
}

/** Outputs of one transaction: their assets take most of its size. */
const BATCH = 30;

/**
 * Prepares the next transaction that moves what a vault has at former addresses; null when nothing is left to move, or another
 * transaction holds it.
 */
export async function prepareMove(context: WorkerContext, input: VaultActivityInput): Promise<Prepared | null> {
  for (const kind of moveKinds) {
    const prepared = await prepareStep(context, input, kind, async (vault) => {
      const move = await nextMove(context, vault, kind);
      if (move === null) return null;
      const { from, to, utxos } = move;
      const described = descriptionOf(vault, context);
      return {
        build: (chain, operator, ttlSlot) => buildCustodyMove(chain, { utxos, from, to, described, operator, ttlSlot }),
        cosigners: from.cosigners,
      };
    });
    if (prepared !== null) return prepared;
  }
  return null;
}

/** Whether something is left at former addresses of a vault, also while another transaction holds it. */
async function isAnythingToMove(context: Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>, vaultId: string) {
  return (await outputsToMove(context, await getVault(context.db, vaultId))).length > 0;
}

async function nextMove(
  context: WorkerContext,
  vault: Vault,
  kind: OutputsToMove['kind'],
): Promise<OutputsToMove | null> {
  for (const move of await outputsToMove(context, vault)) {
    if (move.kind !== kind) continue;
    const utxos = (await excludeLeased(context.db, move.utxos)).slice(0, BATCH);
    if (utxos.length > 0) return { ...move, utxos };
  }
  return null;
}

/** The token whose datum describes the fractional token of a vault, and that datum. */
function descriptionOf(vault: Vault, { tokenMetadata }: WorkerContext) {
  const unit = referenceUnit(policyOf(requireFtUnit(vault)), tokenNameHex(vault.name));
  return { unit, datum: referenceDatum(ftDescription(vault, tokenMetadata)) };
}

interface OutputsToMove {
  /** Kept are those that executions never spend: the tokens that identify a vault, and shares of reclaimed deposits. */
  readonly kind: (typeof moveKinds)[number];
  readonly from: OwnGuard;
  readonly to: string;
  readonly utxos: readonly Utxo[];
}

/**
 * What a vault has at addresses of before its rotations, by address. Unsolicited outputs are not the vault's: they can be returned from
 * where they are.
 */
async function outputsToMove(
  context: Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>,
  vault: Vault,
): Promise<OutputsToMove[]> {
  const { db, networkId } = context;
  const targets = new Map([
    ['custody', vault.contractAddress],
    ['liquidity', liquidityAddressOf(vault, networkId).address],
  ]);
  const found: OutputsToMove[] = [];
  for (const from of ownGuards(vault, networkId)) {
    const to = targets.get(from.kind);
    if (to === undefined || to === from.address) continue;
    // What a backend does not show yet would be left behind.
    const unspent = await heldAt(context, vault.id, from.address);
    const own = await ownOutputs(db, vault.id, unspent);
    const spendable = new Set((await vaultSpendableUtxos(db, vault.id, own)).map(refText));
    const isKept = (utxo: Utxo) => from.kind === 'custody' && !spendable.has(refText(utxo));
    const moves = [
      { kind: 'move_custody', utxos: own.filter((utxo) => !isKept(utxo)) },
      { kind: 'move_kept', utxos: own.filter(isKept) },
    ] as const;
    found.push(...moves.map((move) => ({ ...move, from, to })).filter(({ utxos }) => utxos.length > 0));
  }
  return found;
}

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'keys' | 'networkId'>;

/**
 * Voids the executions that wait for signatures, because they spend from the custody of before, and gives the vault its new key and
 * custody once those that were sent are final or can no longer be confirmed. Returns whether it has them. Throws Error for a custody that the
 * worker's keys do not lead to, and for cosigners to whom those before have not agreed: whoever wrote it would have the assets.
 */
export async function changeVaultCustody(context: Context, rotation: Rotation, now: Instant): Promise<boolean> {
  const { db, unitOfWork } = context;
  const { id, vaultId, target } = rotation;
  for (const proposalId of await liveProposalIds(db, vaultId))
    await unitOfWork(async (work) => {
      await lockExclusive(work.tx, `proposal:${proposalId}`);
      const [proposal] = (await proposalRows(work.tx, [proposalId])).map(headOfProposal);
      const voided = { cause: 'custody_changed', note: 'the custody of the vault changes' } as const;
      if (proposal && !proposal.executionSent) await voidFrozenExecution({ ...work, now }, proposal, voided);
    });
  return unitOfWork(async (work) => {
    const change = { ...work, now };
    await lockExclusive(change.tx, `custody:${vaultId}`);
    const vault = await lockVaultRow(change.tx, vaultId);
    if ((await getRotation(change.tx, id)).changedAt !== null) return true;
    if (await isAnySent(change.tx, vaultId, toCustodyKinds)) return false;
    await requireOwnCustody(context, change.tx, vault, rotation);
    // The one that runs is the last that was announced.
    const rotations = (await countRotations(change.tx, vaultId)) - 1;
    const refusal = custodyRefusal({ ...rotation, from: vault, to: target, rotations }, context.networkId);
    if (refusal !== null) throw new Error(`the custody ${target.contractAddress} of vault ${vaultId} ${refusal}`);
    await changeCustody(change, rotation, vault);
    const data = { rotationId: id, from: vault.contractAddress, to: target.contractAddress };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(change, { event: { type: 'CUSTODY_CHANGED', ...source, data } });
    return true;
  });
}

/** Throws for another address than the one of the script of a key that the vault was given, and that the worker derives itself. */
async function requireOwnCustody(
  { keys, networkId }: Context,
  tx: Transaction,
  { id: vaultId }: Pick<Vault, 'id'>,
  { target: custody }: Pick<Rotation, 'target'>,
): Promise<void> {
  const [index] = await keyIndexesOf(tx, vaultId, [custody.vaultKeyHash]);
  const isOwnKey = index !== undefined && keys.vaultKey(index).keyHash === custody.vaultKeyHash;
  const isOfScript = custodyAddressOf(custody, networkId).address === custody.contractAddress;
  if (!isOwnKey || !isOfScript)
    throw new Error(`the custody ${custody.contractAddress} is not one of the keys of vault ${vaultId}`);
}

/** Ends a rotation that has moved everything, once: the vault can execute and end again. */
export function finishRotation(
  { unitOfWork }: Pick<WorkerContext, 'unitOfWork'>,
  { id, vaultId, target }: Pick<Rotation, 'id' | 'vaultId' | 'target'>,
  now: Instant,
): Promise<void> {
  return unitOfWork(async (work) => {
    const context = { ...work, now };
    await lockVaultRow(context.tx, vaultId);
    const rotation = await getRotation(context.tx, id);
    if (rotation.finishedAt !== null) return;
    await setRotationFinished(context, rotation);
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    const data = { rotationId: id, contractAddress: target.contractAddress };
    await publish(context, { event: { type: 'ROTATION_FINISHED', ...source, data } });
    // Its end may have waited.
    await signalTransactionChanged(context, vaultWorkflowId(vaultId));
  });
}

type ResumeRotationContext = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId'>;

/** Lets the last rotation of a vault continue when something of the vault has come to a former custody since, as a rollback can do. */
export async function resumeRotation(context: ResumeRotationContext, vault: Vault): Promise<void> {
  const isDone = (one: Vault) => one.status === 'LOCKED' && one.rotationId === null;
  if (vault.formerCustodies.length === 0 || !isDone(vault)) return;
  if ((await outputsToMove(context, vault)).length === 0) return;
  await context.unitOfWork(async (work) => {
    const current = await lockVaultRow(work.tx, vault.id);
    const rotation = await lastFinishedRotation(work.tx, vault.id);
    if (rotation === null || !isDone(current)) return;
    await reopenRotation(work, rotation);
    const source = { ...platformEventFields(vault.id), transactionHash: null };
    const data = { rotationId: rotation.id };
    await publish(work, { event: { type: 'ROTATION_REOPENED', ...source, data } });
    const { id: rotationId, vaultId } = rotation;
    const start = { kind: 'start', workflow: 'rotation', rotationId, vaultId, again: true } as const;
    await enqueueWorkflowMessage(work, rotationWorkflowId(rotationId), start);
  });
}
