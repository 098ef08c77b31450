import { z } from 'zod';
import { parseWalletAddress } from '../../../cardano/scripts/address.ts';
import { isoText } from '../../../platform/units/instant.ts';
import { returnUnsolicited } from '../return-unsolicited.ts';
import { created } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { runOnce } from '../../../platform/http/run-once.ts';
import { platformSignedText } from '../../../platform/http/descriptions.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { exampleWallet } from '../../../transactions/routes/example-wallet.ts';
import { AmountText, ResourceId, Timestamp } from '../../../platform/http/fields.ts';
import { OperationTransaction, presentBuilt } from '../../../transactions/routes/response.ts';
import { ReturnUnsolicited } from './request.ts';

const UnsolicitedReturn = z.object({
  vaultId: z.uuid(),
  address: z.string(),
  outputs: z.array(
    z.object({ txHash: z.string(), index: z.int().describe('Index of the output in that transaction, from 0') }),
  ),
  fee: AmountText.describe('Fee in lovelace, paid out of the returned outputs'),
  transaction: OperationTransaction,
  expiresAt: Timestamp.describe(
    'The transaction can be in a block only before this time; afterwards the outputs can be returned again',
  ),
});

export const returnUnsolicitedRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/unsolicited/returns',
  operationId: 'returnUnsolicited',
  summary: 'Return unsolicited outputs of a vault',
  description: [
    'Sends all outputs to one address. They pay the fee.',
    platformSignedText,
    'The registered cosigners of a vault sign what returns from its custody: as many as an execution needs post their witness sets ' +
      'to `POST /api/v1/transactions/{hash}/witnesses` within 36 hours. Then, or when it was withdrawn (`DELETE /api/v1/transactions/{hash}`), it can be requested again.',
  ].join(' '),
  success: 'The transaction that returns the outputs is signed and submitted',
  examples: {
    output: { outputs: [{ txHash: '00'.repeat(32), index: 0 }], address: exampleWallet },
  },
  permission: { resource: 'unsolicited', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: ReturnUnsolicited,
  responses: { 201: Enveloped(UnsolicitedReturn) },
  errors: [
    'VAULT_NOT_FOUND',
    'UNSOLICITED_OUTPUT_NOT_FOUND',
    'UNSOLICITED_OUTPUT_LEAVING',
    'UNSOLICITED_OUTPUT_GONE',
    'UNSOLICITED_OUTPUT_HELD',
    'UNSOLICITED_OUTPUT_OF_OWNER',
    'UNSOLICITED_OUTPUT_NEEDS_OTHERS',
    'INSUFFICIENT_FUNDS',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  errorFields: { UNSOLICITED_OUTPUT_HELD: 'outputs', INSUFFICIENT_FUNDS: 'outputs' },
  async handle({ params: { vaultId }, body: { outputs, address }, caller, idempotency }, context) {
    const to = parseWalletAddress(address, context.networkId, 'address');
    const chain = await context.networkState();
    return runOnce(context, idempotency, async (transaction) => {
      const input = { vaultId, outputs, to, caller };
      const started = await returnUnsolicited(transaction, context, input, chain);
      const { transaction: built, expiresAt, signer, cosigners } = started;
      const data = {
        vaultId,
        address: to.address,
        outputs,
        fee: built.fee.toString(),
        transaction: presentBuilt(built, signer, expiresAt, cosigners),
        expiresAt: isoText(expiresAt),
      } as const;
      return created(enveloped(data, transaction.now));
    });
  },
});
