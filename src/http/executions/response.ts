import { z } from 'zod';
import { type Instant, isoText } from '../../domain/units/instant.ts';

import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Execution } from '../../store/executions.ts';
import { TransactionStateEnum } from '../transactions/enums.ts';
import { Timestamp } from '../server/fields.ts';
import { executionExample } from './examples.ts';
import { ExecutionStatusEnum } from './enums.ts';

import { signatureProgress, signersOf } from '../../domain/execution/signatures.ts';
import type { ExecutionView } from '../../services/executions/view-executions.ts';

const Signers = z.array(z.string());

/** A frozen transaction of a proposal, and how far it is signed. Signers are wallets. */
export const ExecutionResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    status: ExecutionStatusEnum,
    reason: z
      .string()
      .nullable()
      .describe(
        'Of a VOIDED one: replaced, expired or execution_window_elapsed; of a FAILED one what the ledger said, for people; else null',
      ),
    frozenBy: z.string().describe('The wallet that had it frozen'),
    executedBy: z.string().nullable().describe('The wallet that had it sent; null before'),
    cosigners: Signers.describe('Wallets that were named to cosign; all of them sign'),
    partner: z.string().nullable().describe('Buyer, seller or holder, who signs as well; null where there is none'),
    action: z
      .object({
        type: z.string(),
        details: z.record(z.string(), z.unknown()).describe('With the names and units of the request'),
      })
      .describe('As it was asked for when it was frozen'),
    transaction: z.object({
      hash: z.string().describe('Signatures are handed in at `POST /api/v1/transactions/{hash}/witnesses`'),
      status: TransactionStateEnum,
      blockHeight: z.int().nullable().describe('Null while it is in no block'),
      expiresAt: Timestamp.describe('The end of the execution phase: in a block by then, or never'),
      unsignedTx: z.string().describe('CBOR hex for CIP-30 signTx (partial), while it is FROZEN').optional(),
    }),
    multiSignature: z
      .object({
        hash: z.string().describe('What is signed: the hash of the transaction'),
        signatures: z.array(z.string()).describe('Ed25519 in hex, one for each of `signers`'),
        signers: Signers.describe('Wallets that have signed so far'),
        threshold: z.int().describe('How many wallets have to sign: the cosigners and the partner'),
        missing: Signers.describe('Wallets that still have to sign'),
      })
      .describe('Counts wallets; that of the transaction counts keys, those of the platform too'),
    createdAt: Timestamp,
    executedAt: Timestamp.nullable().describe('When it was found in a block; null while it is in none'),
  })
  .meta({ id: 'Execution', examples: [executionExample] });

export function presentExecution({ execution, transaction }: ExecutionView): z.input<typeof ExecutionResource> {
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
