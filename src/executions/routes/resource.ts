import { z } from 'zod';
import { ExecutionStatusEnum } from './enums.ts';
import { executionExample } from './examples.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { MultiSignature } from '../../transactions/routes/multi-signature.ts';
import { FinalityEnum } from '../../transactions/routes/enums.ts';
import { Confirmations } from '../../transactions/routes/resource.ts';
import { OperationTransaction } from '../../transactions/routes/response.ts';

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
        'If VOIDED: replaced, expired or execution_window_elapsed. If FAILED: the reason of the ledger, as text for people. Else null',
      ),
    frozenBy: z.string().describe('The wallet that froze it'),
    executedBy: z.string().nullable().describe('The wallet that submitted it; null before'),
    cosigners: z.array(z.string()).describe('The wallets named to cosign'),
    requiredCosigners: z.int().describe('How many of `cosigners` have to sign, whichever they are'),
    partner: z.string().nullable().describe('The buyer, seller or holder, who has to sign too; null if there is none'),
    action: z
      .object({
        type: z.string(),
        details: z.record(z.string(), z.unknown()).describe('With the field names and units of the request'),
      })
      .describe('As requested when it was frozen'),
    transaction: OperationTransaction,
    confirmations: Confirmations.describe('Number of blocks that `transaction` is under, its own included'),
    finality: FinalityEnum.describe('How certain it is that `transaction` stays on the ledger'),
    multiSignature: MultiSignature,
    createdAt: Timestamp,
    executedAt: Timestamp.nullable().describe('When its block was made; null while it is not in a block'),
  })
  .meta({ id: 'Execution', examples: [executionExample] });
