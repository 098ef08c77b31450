import { z } from 'zod';
import { ExecutionStatusEnum } from './enums.ts';
import { executionExample } from './examples.ts';
import { Timestamp } from '../../server/fields.ts';
import { OperationTransaction } from '../transactions/response.ts';

const Signers = z.array(z.string());

/** An execution of a proposal: its frozen transaction and the signatures so far. Signers are wallets. */
export const ExecutionResource = z
  .object({
    id: z.uuid(),
    proposalId: z.uuid(),
    status: ExecutionStatusEnum,
    reason: z
      .string()
      .nullable()
      .describe(
        'If VOIDED: replaced, expired or execution_window_elapsed. If FAILED: the reason of the ledger, as text for people. Else null',
      ),
    frozenBy: z.string().describe('The wallet that froze it'),
    executedBy: z.string().nullable().describe('The wallet that submitted it; null before'),
    cosigners: Signers.describe('The wallets named to cosign; all of them have to sign'),
    partner: z.string().nullable().describe('The buyer, seller or holder, who has to sign too; null if there is none'),
    action: z
      .object({
        type: z.string(),
        details: z.record(z.string(), z.unknown()).describe('With the field names and units of the request'),
      })
      .describe('As requested when it was frozen'),
    transaction: OperationTransaction,
    multiSignature: z
      .object({
        hash: z.string().describe('The hash of the transaction, which is what wallets sign'),
        signatures: z.array(z.string()).describe('Ed25519 signatures in hex, one for each of `signers`'),
        signers: Signers.describe('The wallets that have signed'),
        threshold: z.int().describe('Number of wallets that have to sign: the cosigners and the partner'),
        missing: Signers.describe('The wallets that still have to sign'),
      })
      .describe('Counts wallets. `multiSignature` of the transaction counts keys, including those of the platform'),
    createdAt: Timestamp,
    executedAt: Timestamp.nullable().describe('When its block was made; null while it is not in a block'),
  })
  .meta({ id: 'Execution', examples: [executionExample] });
