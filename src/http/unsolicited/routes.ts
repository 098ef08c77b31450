import { z } from 'zod';
import { requireMayActFor } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import { isoText } from '../../domain/units/instant.ts';
import { listUnsolicited } from '../../store/vault-unsolicited.ts';
import { created, ok } from '../server/answer.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { exampleWallet } from '../server/example-wallet.ts';
import { AddressText, AmountText, ResourceId, Timestamp } from '../server/fields.ts';
import { deferError } from '../../services/defer-error.ts';
import { returnUnsolicited } from '../../services/unsolicited/return-unsolicited.ts';
import { platformSignedText } from '../server/descriptions.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { PlatformTransaction } from '../transactions/response.ts';
import { presentUnsolicited, UnsolicitedResource } from './response.ts';
import { requireReadableVault, vaultAttributes } from '../../services/vaults/vault-access.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';

const OneVault = z.strictObject({ vaultId: ResourceId });

const getUnsolicited = route({
  method: 'get',
  path: '/vaults/:vaultId/unsolicited',
  operationId: 'listUnsolicited',
  summary: "List what lies at a vault's addresses without having been asked for, and so never counts",
  description: "To the session of the vault's admin and to keys with permission wallet:UPDATE.",
  answers: 'A page of outputs',
  permission: { resource: 'vault', action: 'READ', facts: vaultAttributes },
  params: OneVault,
  query: z.strictObject(pageQuery(['seenAt', 'lovelace'])),
  responses: { 200: EnvelopedPage(z.object({ outputs: z.array(UnsolicitedResource) })) },
  errors: ['VAULT_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  async handle({ params, query, caller }, context) {
    const { db, networkId } = context;
    const vault = await requireReadableVault(context, caller, params.vaultId);
    requireMayActFor(caller, vault.createdBy);
    const { outputs, total } = await listUnsolicited(db, vault.id, pageOf(query, 'seenAt:asc'));
    const data = { outputs: outputs.map((output) => presentUnsolicited(output, vault, networkId)) };
    return ok(envelopedPage(data, paginationOf(query, total), await context.readingTime()));
  },
});

const OutputRef = z.strictObject({
  txHash: z.string().regex(/^[0-9a-f]{64}$/, 'A transaction hash is 32 bytes in lower-case hex'),
  index: z.int().min(0).max(65_535),
});

const ReturnUnsolicited = z
  .strictObject({
    outputs: z
      .array(OutputRef)
      .min(1)
      .max(100)
      .refine((outputs) => new Set(outputs.map(refText)).size === outputs.length, 'Name each output once'),
    address: AddressText.describe('Where everything goes'),
  })
  .meta({ id: 'ReturnUnsolicited' });

const postReturn = route({
  method: 'post',
  path: '/vaults/:vaultId/unsolicited/returns',
  operationId: 'returnUnsolicited',
  summary: "Return what was sent to a vault's addresses without having been asked for",
  description: ['All of them to one address, which the fee is taken from.', platformSignedText].join(' '),
  answers: 'The transaction that returns them is on its way',
  examples: {
    output: { outputs: [{ txHash: '00'.repeat(32), index: 0 }], address: exampleWallet },
  },
  permission: { resource: 'unsolicited', action: 'CREATE' },
  params: OneVault,
  body: ReturnUnsolicited,
  responses: {
    201: Enveloped(
      z.object({
        vaultId: z.uuid(),
        address: z.string(),
        outputs: z.array(z.object({ txHash: z.string(), index: z.int().describe('Which output of it, from 0') })),
        fee: AmountText.describe('Lovelace that are taken from what is returned'),
        transaction: PlatformTransaction,
        expiresAt: Timestamp.describe('In a block by then, or never: then it can be returned again'),
      }),
    ),
  },
  errors: [
    'VAULT_NOT_FOUND',
    'UNSOLICITED_OUTPUT_NOT_FOUND',
    'UNSOLICITED_OUTPUT_LEAVING',
    'UNSOLICITED_OUTPUT_GONE',
    'UNSOLICITED_OUTPUT_HELD',
    'UNSOLICITED_OUTPUT_NEEDS_OTHERS',
    'INSUFFICIENT_FUNDS',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  async handle({ params, body: { outputs, address }, caller, idempotency }, context) {
    const to = parseWalletAddress(address, context.networkId, 'address');
    const facts = await deferError(context.networkState());
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const returning = { ...params, outputs, to, caller };
        const { transaction, expiresAt } = await returnUnsolicited(work, context, returning, facts);
        const data = {
          vaultId: params.vaultId,
          address: to.address,
          outputs,
          fee: transaction.fee.toString(),
          transaction: { tx_hash: transaction.hash, status: 'pending', block_height: null },
          expiresAt: isoText(expiresAt),
        } as const;
        return created(enveloped(data, work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

export const unsolicitedRoutes = [getUnsolicited, postReturn];
