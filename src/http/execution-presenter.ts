import { z } from 'zod';
import { executionStatuses } from '../domain/execution.ts';
import { type Instant, isoText } from '../domain/instant.ts';
import { signatureProgress } from '../domain/cosigning.ts';
import { transactionStates } from '../domain/transaction-state.ts';
import type { ChainTransaction } from '../store/chain-transactions.ts';
import type { Execution } from '../store/executions.ts';
import { Timestamp } from './fields.ts';
import { signersOf } from './operations/execute-proposal.ts';

const Signers = z.array(z.string());

/** A frozen transaction of a proposal, and how far it is signed. Signers are wallets. */
export const ExecutionResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    status: z.enum(executionStatuses),
    /** Why it was voided or failed. */
    reason: z.string().nullable(),
    frozenBy: z.string(),
    executedBy: z.string().nullable(),
    cosigners: Signers,
    /** Buyer, seller or holder, who signs as well. */
    partner: z.string().nullable(),
    action: z.object({ type: z.string(), details: z.record(z.string(), z.unknown()) }),
    transaction: z.object({
      hash: z.string(),
      status: z.enum(transactionStates),
      blockHeight: z.int().nullable(),
      expiresAt: Timestamp,
      /** CBOR hex, while it waits for signatures. */
      unsignedTx: z.string().optional(),
    }),
    multiSignature: z
      .object({
        hash: z.string(),
        signatures: z.array(z.string()).meta({ description: 'Ed25519 in hex, one for each of `signers`' }),
        signers: Signers.meta({ description: 'Wallets that have signed so far' }),
        threshold: z.int().meta({ description: 'How many wallets have to sign: the cosigners and the partner' }),
        missing: Signers.meta({ description: 'Wallets that still have to sign' }),
      })
      .meta({ description: 'Counts wallets; that of the transaction counts keys, those of the platform too' }),
    createdAt: Timestamp,
    executedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Execution' });

export interface ShownExecution {
  readonly execution: Execution;
  readonly transaction: ChainTransaction;
}

export function presentExecution({ execution, transaction }: ShownExecution): z.input<typeof ExecutionResource> {
  const { hash, state, blockHeight, expiresAt, unsignedCbor } = transaction;
  const waits = execution.status === 'FROZEN';
  return {
    id: execution.id,
    proposalId: execution.proposalId,
    status: execution.status,
    reason: execution.reason,
    frozenBy: execution.frozenBy,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.map(({ wallet }) => wallet),
    partner: execution.partner?.wallet ?? null,
    action: execution.action,
    transaction: {
      hash,
      status: state,
      blockHeight,
      expiresAt: isoText(expiresAt),
      ...(waits && { unsignedTx: unsignedCbor }),
    },
    multiSignature: presentSignatures(execution, transaction),
    createdAt: isoText(execution.createdAt),
    executedAt: textOrNull(execution.executedAt),
  };
}

function presentSignatures(execution: Execution, { hash, witnesses }: ChainTransaction) {
  const signers = signersOf(execution);
  const byKey = new Map(witnesses.map(({ keyHash, signature }) => [keyHash, signature]));
  const { required, missingSigners } = signatureProgress(signers, new Set(byKey.keys()));
  const signed = signers.filter(({ keyHash }) => byKey.has(keyHash));
  return {
    hash,
    signatures: signed.map(({ keyHash }) => byKey.get(keyHash) ?? ''),
    signers: signed.map(({ wallet }) => wallet),
    threshold: required,
    missing: [...missingSigners],
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
