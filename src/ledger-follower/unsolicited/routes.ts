import { z } from 'zod';
import { route } from '../../api-context.ts';
import { parseWalletAddress } from '../../cardano/scripts/address.ts';
import { unsolicitedStatuses } from '../queries/unsolicited.ts';
import { type UnsolicitedView, listUnsolicitedOutputs } from './list-unsolicited.ts';
import { returnUnsolicited } from './return-unsolicited.ts';
import {
  platformSignedText,
  enumSchema,
  AddressText,
  AmountText,
  Timestamp,
  CaseInsensitive,
  ResourceId,
} from '../../platform/http/fields.ts';
import {
  EnvelopedPage,
  envelopedPage,
  Enveloped,
  enveloped,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { ok, created } from '../../platform/http/route.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { isoText } from '../../platform/units/time.ts';
import { exampleWallet } from '../../transactions/routes/examples.ts';
import { OperationTransaction, presentBuilt } from '../../transactions/routes/response.ts';
import { refText } from '../../transactions/rules.ts';
import { vaultAddressKinds } from '../../vaults/rules/vault.ts';
import { vaultOwnershipAttributes } from '../../vaults/require-vault.ts';

const OutputRef = z.strictObject({
  txHash: z.string().regex(/^[0-9a-f]{64}$/, 'A transaction hash is 32 bytes in lower-case hex.'),
  index: z.int().min(0).max(65_535),
});

const ReturnUnsolicited = z
  .strictObject({
    outputs: z
      .array(OutputRef)
      .min(1)
      .max(100)
      .refine((outputs) => new Set(outputs.map(refText)).size === outputs.length, 'List each output once.'),
    address: AddressText.describe('Address that receives all outputs.'),
  })
  .meta({ id: 'ReturnUnsolicited' });

export const VaultAddressKindEnum = enumSchema('VaultPlace', vaultAddressKinds, {
  custody: '`contractAddress` of the vault',
  settlement: 'the address that collects the investments during the settlement',
  liquidity: 'the address of the liquidity share',
  claims: 'the address of the pot that holders claim from',
  deposit: 'the address where deposits of `depositor` wait for the settlement',
  stake: 'the stake script of a token holder',
});

const UnsolicitedStatusEnum = enumSchema('UnsolicitedStatus', unsolicitedStatuses, {
  PRESENT: 'still at the address',
  RETURNING: 'being returned by `returnTransactionHash`',
  RETURNED: 'returned',
  GONE: 'spent by a transaction of another sender',
});

/** An output at an address of a vault that belongs to no deposit or other transaction of the platform. */
const UnsolicitedResource = z
  .object({
    txHash: z.string().describe('Hash of the transaction that made the output.'),
    index: z.int().describe('Index of the output in that transaction, starting at 0.'),
    address: z.string().describe('Address that holds the output.'),
    place: VaultAddressKindEnum,
    depositor: z.string().nullable().describe('Wallet address. `null` unless `place` is deposit.'),
    lovelace: AmountText.describe('Lovelace in the output.'),
    assets: z.array(
      z.object({
        unit: z.string().describe('Policy ID and asset name, in hex.'),
        quantity: AmountText.describe('Base units.'),
      }),
    ),
    status: UnsolicitedStatusEnum,
    returnable: z
      .boolean()
      .describe(
        'Whether the output can be returned now. From custody, this needs the registered cosigners of the vault.',
      ),
    seenAt: Timestamp.describe('Time at which a scan first found the output.'),
    goneAt: Timestamp.nullable().describe('Time at which a scan found the output spent, otherwise `null`.'),
    returnTransactionHash: z.string().nullable().describe('`null` unless `status` is RETURNING or RETURNED.'),
    returnedAt: Timestamp.nullable().describe(
      'Time at which the transaction that returns the output was found in a block, otherwise `null`.',
    ),
  })
  .meta({ id: 'UnsolicitedOutput' });

function presentUnsolicited(output: UnsolicitedView): z.infer<typeof UnsolicitedResource> {
  const { utxo, place, depositor, status, returnable, seenAt, goneAt, returnHash, returnedAt } = output;
  return {
    txHash: utxo.txHash,
    index: utxo.index,
    address: utxo.address,
    place,
    depositor,
    lovelace: utxo.lovelace.toString(),
    assets: [...utxo.assets].map(([unit, quantity]) => ({ unit, quantity: quantity.toString() })),
    status,
    returnable,
    seenAt: isoText(seenAt),
    goneAt: goneAt === null ? null : isoText(goneAt),
    returnTransactionHash: returnHash,
    returnedAt: returnedAt === null ? null : isoText(returnedAt),
  };
}

const listUnsolicitedRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/unsolicited',
  operationId: 'listUnsolicited',
  summary: 'List unsolicited outputs of a vault',
  description:
    'Lists outputs at the addresses of the vault whose transaction the platform did not make. They never count as ' +
    'deposits.\n\n' +
    'Requires the session of the admin of the vault, or a key with the permissions `unsolicited:READ` and ' +
    '`wallet:UPDATE`.',
  success: 'A page of outputs',
  permission: { resource: 'unsolicited', action: 'READ', attributes: vaultOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['seenAt', 'lovelace']),
    place: CaseInsensitive(vaultAddressKinds).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ outputs: z.array(UnsolicitedResource) })) },
  errors: ['VAULT_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  async handle({ params, query, caller }, context) {
    const page = pageOf(query, 'seenAt:asc');
    const filter = { ...params, place: query.place };
    const { outputs, count } = await listUnsolicitedOutputs(context, caller, filter, page);
    const data = { outputs: outputs.map(presentUnsolicited) };
    return ok(envelopedPage(data, paginationOf(query, count), await context.readingTime()));
  },
});

const UnsolicitedReturn = z.object({
  vaultId: z.uuid(),
  address: z.string(),
  outputs: z.array(
    z.object({
      txHash: z.string(),
      index: z.int().describe('Index of the output in that transaction, starting at 0.'),
    }),
  ),
  fee: AmountText.describe('Fee in lovelace, paid by the returned outputs.'),
  transaction: OperationTransaction,
  expiresAt: Timestamp.describe(
    'Latest time for the transaction to reach a block. Afterwards you can return the outputs again.',
  ),
});

const returnUnsolicitedRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/unsolicited/returns',
  operationId: 'returnUnsolicited',
  summary: 'Return unsolicited outputs',
  description: [
    'Sends all outputs to one address. They pay the fee.',
    platformSignedText,
    'Outputs of custody need signatures of the registered cosigners of the vault, as many as an execution needs. ' +
      'They post them to `addWitnesses` within 36 hours. If they do not, or if you withdraw the transaction with ' +
      '`withdrawTransaction`, you can request the return again.',
  ].join('\n\n'),
  success: 'The transaction that returns the outputs. Unless cosigners have to sign, it is being submitted.',
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

export const unsolicitedRoutes = [listUnsolicitedRoute, returnUnsolicitedRoute];
